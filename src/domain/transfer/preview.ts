import { sanitizeUrl } from '../shared/feed-url.ts'
import type { FeedRecord, SourcedRecord } from './records.ts'

/** `known` podcasts are on the device, `duplicate` ones appear earlier in the file, `invalid` ones have no feed URL. */
export const PREVIEW_STATES = ['new', 'known', 'duplicate', 'invalid'] as const
export type PreviewState = (typeof PREVIEW_STATES)[number]

interface PreviewedPodcast {
  readonly state: PreviewState
  /** URL as it would be stored; an invalid one as in the file. */
  readonly url: string
  readonly title: string
}

export interface ImportPreview {
  readonly podcasts: readonly PreviewedPodcast[]
  readonly counts: Readonly<Record<PreviewState, number>>
  readonly folders: readonly string[]
  /** Whether the file has more podcasts than a preview reads. */
  readonly hasMore: boolean
  /** Whether podcasts may be missing because the file is damaged. */
  readonly isDamaged: boolean
}

/** Maximum number of podcasts in a preview. */
export const PREVIEW_MAX = 20_000

type HeldOf = (urls: readonly string[]) => Promise<ReadonlySet<string>>

/** Predicts what an import would do with each podcast, by the rules of the import. Changes nothing. */
export async function previewFeeds(
  records: AsyncIterable<SourcedRecord>,
  findSubscribed: HeldOf,
): Promise<ImportPreview> {
  const podcasts: PreviewedPodcast[] = []
  const counts = { new: 0, known: 0, duplicate: 0, invalid: 0 }
  const folders: string[] = []
  const seen = new Set<string>()
  let hasMore = false
  let isDamaged = false

  function add(state: PreviewState, url: string, title = ''): void {
    counts[state]++
    podcasts.push({ state, url, title })
  }

  async function addFeeds(feeds: readonly FeedRecord[]): Promise<void> {
    const urls = feeds.map((feed) => sanitizeUrl(feed.url))
    const subscribed = await findSubscribed(urls.filter((url) => url !== undefined))
    for (const [index, { url: text, title }] of feeds.entries()) {
      const url = urls[index]
      if (url === undefined) add('invalid', text, title)
      else add(seen.has(url) ? 'duplicate' : subscribed.has(url) ? 'known' : 'new', url, title)
      if (url !== undefined) seen.add(url)
    }
  }

  for await (const { record } of records) {
    if (record.kind === 'feeds') {
      const room = PREVIEW_MAX - podcasts.length
      hasMore = record.feeds.length > room
      await addFeeds(record.feeds.slice(0, room))
    } else if (record.kind === 'folder') folders.push(record.name)
    else if (record.kind === 'skipped' && record.what === 'subscriptions') {
      if (/damaged/.test(record.reason)) isDamaged = true
      else addSkipped(record.count ?? 1, record.examples ?? [])
    }
    if (hasMore) break
  }
  return { podcasts, counts, folders, hasMore, isDamaged }

  /** Only some of the skipped podcasts are in `examples`. */
  function addSkipped(count: number, examples: readonly string[]): void {
    for (const example of examples.slice(0, count)) add('invalid', example)
    counts.invalid += Math.max(0, count - examples.length)
  }
}
