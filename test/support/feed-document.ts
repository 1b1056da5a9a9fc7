import type { FeedEpisode, FeedOutline } from '../../src/domain/feeds/document.ts'
import { decodeText } from '../../src/platform/decode-text.ts'
import { readFeedInSteps } from '../../src/worker/parse/parse-feed.ts'

/** Contents of a feed document; the server gets the episodes separately from the rest. */
export interface FeedDocument extends Omit<FeedOutline, 'episodeCount'> {
  /** Newest first; those without a date in the order of the feed, after the others. */
  readonly episodes: readonly FeedEpisode[]
}

type ReadArguments = Parameters<typeof readFeedInSteps>

/** Reads a feed without a pause. Throws `NotAFeed`. */
export function readFeed(...document: ReadArguments) {
  const steps = readFeedInSteps(...document)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** `readFeed` for the bytes of a document. */
export function parseFeed(bytes: Uint8Array, contentType: string, options: ReadArguments[1]): FeedDocument {
  const { outline, episodes } = readFeed(decodeText(bytes, contentType), options)
  const { episodeCount: _, ...details } = outline
  return { ...details, episodes: [...episodes('newest first')] }
}
