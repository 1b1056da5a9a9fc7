import type { FeedAnswer, FeedSource } from '../../src/domain/feed-ports.ts'

export const UNCHANGED = {
  kind: 'unchanged',
  etag: undefined,
  lastModified: undefined,
  bodyHash: undefined,
  movedTo: undefined,
  ttlSeconds: undefined,
  freshFor: 0,
} as const satisfies FeedAnswer

export const UNREACHABLE: FeedAnswer = {
  kind: 'failed',
  reason: 'unreachable',
  message: 'feeds.example cannot be reached',
  retryAfter: undefined,
}

/** Feeds with the answers given; all others cannot be reached. */
export function feedSource(answers: Readonly<Record<string, FeedAnswer>> = {}): FeedSource {
  return { ask: async ({ url }) => answers[url] ?? UNREACHABLE, close: () => undefined }
}
