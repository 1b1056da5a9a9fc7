import type { FeedDocument } from '../../src/domain/feeds/document.ts'
import type { FeedAnswer, FeedSource, OpenDocument } from '../../src/domain/feeds/ports.ts'
import { namesOf, unknownEpisodes } from '../../src/worker/unknown-episodes.ts'

type AnswerOf<Kind extends FeedAnswer['kind']> = Extract<FeedAnswer, { readonly kind: Kind }>

/** What a feed answers, with its document as a whole. */
export type ScriptedAnswer =
  | AnswerOf<'unchanged' | 'failed'>
  | (Omit<AnswerOf<'feed'>, 'document'> & { readonly document: FeedDocument })

export const UNCHANGED = {
  kind: 'unchanged',
  etag: undefined,
  lastModified: undefined,
  bodyHash: undefined,
  movedTo: undefined,
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

/** Feeds with the answers given; all others cannot be reached. */
export function feedSource(answers: Readonly<Record<string, ScriptedAnswer>> = {}): FeedSource {
  return {
    ask: ({ url }, _at, read) => given(answers[url] ?? UNREACHABLE, read),
    close: () => undefined,
  }
}

/** Has a document read, as the real source does before it answers. */
export async function given(answer: ScriptedAnswer, read: Parameters<FeedSource['ask']>[2]): Promise<FeedAnswer> {
  if (answer.kind !== 'feed') return answer
  const feed = { ...openFeed(answer.document), isInside: answer.isInside }
  await read(feed)
  return { ...answer, document: feed.document }
}

export function openFeed({ episodes, ...details }: FeedDocument): OpenDocument {
  return {
    document: { ...details, episodeCount: episodes.length },
    async *episodesBut(known, order = 'newest first') {
      const ordered = order === 'newest first' ? episodes : episodes.toReversed()
      const wanted = [...unknownEpisodes(ordered, known, namesOf(episodes))]
      for (let from = 0; from < wanted.length; from += 10) yield wanted.slice(from, from + 10)
    },
  }
}
