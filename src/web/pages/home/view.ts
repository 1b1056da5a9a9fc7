import { effect, signal } from '@preact/signals'
import { persistedSignal } from '../../store/preferences.ts'
import { account } from '../../store/session.ts'
import { devices, type OwnPodcast } from '../../store/subscriptions.ts'

type SortKey = 'title' | 'newest' | 'added'

export interface ListOptions {
  readonly sortKey: SortKey
  /** The text of the filter, as typed. */
  readonly filter: string
  /** The ID of a device to show only its podcasts; '' for all. */
  readonly device: string
}

/** The podcasts that match, sorted by title or by time. The latest come first, and those without a time last. */
export function filterAndSort(
  podcasts: readonly OwnPodcast[],
  { sortKey: order, filter, device }: ListOptions,
  locale: string,
): OwnPodcast[] {
  const words = fold(filter).split(/\s+/).filter(Boolean)
  const collator = new Intl.Collator(locale, { sensitivity: 'base', numeric: true })
  const byTitle = (a: OwnPodcast, b: OwnPodcast) => collator.compare(a.title, b.title) || (a.url < b.url ? -1 : 1)
  const byTime = (key: 'newest_release' | 'added') => (a: OwnPodcast, b: OwnPodcast) =>
    a[key] === b[key] ? byTitle(a, b) : a[key] < b[key] ? 1 : -1
  return podcasts
    .filter((podcast) => device === '' || podcast.devices.includes(device))
    .filter((podcast) => {
      const text = fold(`${podcast.title} ${podcast.author}`)
      return words.every((word) => text.includes(word))
    })
    .sort(order === 'title' ? byTitle : byTime(order === 'newest' ? 'newest_release' : 'added'))
}

/** Removes case and accents. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
}

export const SORT_KEYS = ['title', 'newest', 'added'] as const
export const VIEWS = ['grid', 'list'] as const

export const sortKey = persistedSignal<SortKey>('home.order', SORT_KEYS, 'title')
export const view = persistedSignal<(typeof VIEWS)[number]>('home.view', VIEWS, 'grid')

/** The text of the filter. It is kept while the client is open, for when the user returns from a podcast. */
export const filter = signal('')
/** The ID of the device whose podcasts are shown, '' for all. It is kept like `filter`. */
export const device = signal('')

// Another user must not inherit the filter.
effect(() => {
  if (!account.value) showAll()
})

/** `device`, or '' if it has been deleted since it was chosen. */
export function chosenDevice(): string {
  return devices.value?.some(({ id }) => id === device.value) ? device.value : ''
}

export function showAll(): void {
  filter.value = ''
  device.value = ''
}
