import { hasNoTitle } from '../../components/podcast/artwork.tsx'
import { number, t } from '../../locales/index.ts'
import type { OwnPodcast } from '../../store/subscriptions.ts'

export type SortKey = 'title' | 'newest' | 'unplayed' | 'added'

/** Number of unplayed episodes of a podcast, and of the new ones among them. */
export interface Count {
  readonly unplayed: number
  readonly new: number
}

/** Number of episodes of a podcast that the server counts, the newest ones. */
const COUNTED = 100

/** Formats a number of new episodes as a badge for the cover and as a label. */
export function countLabels(n: number): { readonly mark: string; readonly label: string } {
  if (n < COUNTED) return { mark: number(n), label: t('home.newCount', { n }) }
  return { mark: `${number(COUNTED - 1)}+`, label: t('home.newMore', { n: COUNTED - 1 }) }
}

/**
 * Sorts podcasts by title, time or unplayed episodes. The latest, or those with the most new episodes, come first.
 * Podcasts without a title or a time come last.
 */
export function sortPodcasts(
  podcasts: readonly OwnPodcast[],
  order: SortKey,
  locale: string,
  counts: ReadonlyMap<string, Count> = new Map(),
): OwnPodcast[] {
  const collator = new Intl.Collator(locale, { sensitivity: 'base', numeric: true })
  const nameless = new Set(podcasts.filter(hasNoTitle))
  const byTitle = (a: OwnPodcast, b: OwnPodcast) =>
    Number(nameless.has(a)) - Number(nameless.has(b)) || collator.compare(a.title, b.title) || (a.url < b.url ? -1 : 1)
  const byTime = (key: 'newest_release' | 'added') => (a: OwnPodcast, b: OwnPodcast) =>
    a[key] === b[key] ? byTitle(a, b) : a[key] < b[key] ? 1 : -1
  const countOf = ({ url }: OwnPodcast) => counts.get(url) ?? { unplayed: 0, new: 0 }
  const byCount = (a: OwnPodcast, b: OwnPodcast) =>
    countOf(b).new - countOf(a).new || countOf(b).unplayed - countOf(a).unplayed || byTitle(a, b)
  const orders = { title: byTitle, newest: byTime('newest_release'), added: byTime('added'), unplayed: byCount }
  return podcasts.toSorted(orders[order])
}

/** Podcasts with their search texts, which are computed on first use and cached. */
export type Searchable = readonly { readonly podcast: OwnPodcast; readonly text: () => string }[]

export function toSearchable(podcasts: readonly OwnPodcast[]): Searchable {
  return podcasts.map((podcast) => {
    let text: string | undefined
    return {
      podcast,
      text: () => {
        text ??= fold(`${podcast.title} ${podcast.author}`)
        return text
      },
    }
  })
}

/**
 * Returns the feed URLs of podcasts with all words of `filter` in title or author, limited to those of `device` (unless
 * '') and of `folder`.
 */
export function matching(
  list: Searchable,
  filter: string,
  device: string,
  folder?: { readonly podcasts: readonly string[] },
): Set<string> {
  const words = fold(filter).split(/\s+/).filter(Boolean)
  const filed = folder && new Set(folder.podcasts)
  const found = new Set<string>()
  for (const { podcast, text } of list)
    if (
      (filed?.has(podcast.url) ?? true) &&
      (device === '' || podcast.devices.includes(device)) &&
      words.every((word) => text().includes(word))
    )
      found.add(podcast.url)
  return found
}

/** Removes case and accents. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
}

/** Returns the new list with the old objects where nothing has changed, so that only changed cards are redrawn. */
export function keepUnchanged(old: readonly OwnPodcast[], now: readonly OwnPodcast[]): OwnPodcast[] {
  const oldByUrl = new Map(old.map((podcast) => [podcast.url, podcast]))
  return now.map((podcast) => {
    const before = oldByUrl.get(podcast.url)
    return before && JSON.stringify(before) === JSON.stringify(podcast) ? before : podcast
  })
}
