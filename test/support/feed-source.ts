import type { EpisodeSelection, FeedContents } from '../../src/domain/feeds/document.ts'
import type { FeedAnswer, FeedSource } from '../../src/domain/feeds/ports.ts'
import { createFingerprints, namesOf } from '../../src/worker/fingerprints.ts'
import type { FeedDocument } from './feed-document.ts'

type AnswerOf<Kind extends FeedAnswer['kind']> = Extract<FeedAnswer, { readonly kind: Kind }>

/** An answer of a feed with its whole document. */
export type ScriptedAnswer =
  | AnswerOf<'unchanged' | 'failed'>
  | (Omit<AnswerOf<'feed'>, 'document'> & { readonly document: FeedDocument })

export const UNCHANGED = {
  kind: 'unchanged',
  etag: undefined,
  lastModified: undefined,
  bodyHash: undefined,
  movedTo: undefined,
  leads: [],
  ttlSeconds: undefined,
  freshFor: 0,
  isInside: false,
} as const satisfies FeedAnswer

export const UNREACHABLE = {
  kind: 'failed',
  reason: 'unreachable',
  message: 'feeds.example cannot be reached',
  retryAfter: undefined,
} as const satisfies FeedAnswer

/** Feeds with scripted answers; all others are unreachable. */
export function feedSource(answers: Readonly<Record<string, ScriptedAnswer>> = {}): FeedSource {
  return {
    ask: ({ url }, _at, wanted, store) => toFeedAnswer(answers[url] ?? UNREACHABLE, wanted, store),
    close: () => undefined,
  }
}

/** Stores a document before answering, like the real source. */
export async function toFeedAnswer(
  answer: ScriptedAnswer,
  wanted: EpisodeSelection,
  store: Parameters<FeedSource['ask']>[3],
): Promise<FeedAnswer> {
  if (answer.kind !== 'feed') return answer
  const contents = contentsOf(answer.document, wanted)
  await store({ ...contents, isInside: answer.isInside, leads: answer.leads })
  return { ...answer, document: contents.document }
}

/** Contents of a document as the feed worker returns them. */
export function contentsOf(
  { episodes, ...details }: FeedDocument,
  { fingerprints, order, limit = episodes.length }: EpisodeSelection,
): Omit<FeedContents, 'isInside' | 'leads'> {
  const { changed } = createFingerprints(fingerprints, namesOf(episodes))
  const unknown = (order === 'newest first' ? episodes : episodes.toReversed()).flatMap((each) => changed(each) ?? [])
  return { document: { ...details, episodeCount: episodes.length }, episodes: unknown.slice(0, limit) }
}
