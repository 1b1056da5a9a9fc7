import {
  type FeedDocument,
  type FeedEpisode,
  type FeedOutline,
  NotAFeed,
  type WantedEpisodes,
} from '../../domain/feeds/document.ts'
import { decodeText } from '../../platform/decode-text.ts'
import type { EpisodeNames } from '../fingerprints.ts'
import { checkJsonBounds } from './document-bounds.ts'
import { documentWithoutControls } from './feed-values.ts'
import { mapJsonFeed } from './map-json-feed.ts'
import { mapXmlFeed } from './map-xml-feed.ts'
import type { EpisodeDraft, MapOptions, MappedFeed } from './mapped-feed.ts'
import { parseXml } from './xml-document.ts'

export interface ReadFeed {
  readonly outline: FeedOutline
  readonly names: EpisodeNames
  /** Each is made when its turn comes. */
  episodes(order: WantedEpisodes['order']): IterableIterator<FeedEpisode>
}

/** A podcast feed in any of its formats. Throws `NotAFeed`. */
export function parseFeed(bytes: Uint8Array, contentType: string, options: MapOptions): FeedDocument {
  const { outline, episodes } = readFeed(decodeText(bytes, contentType), options)
  const { episodeCount: _, ...details } = outline
  return { ...details, episodes: [...episodes('newest first')] }
}

/** The same, from the text of a document, and with its episodes still to be made. Throws `NotAFeed`. */
export function readFeed(text: string, options: MapOptions): ReadFeed {
  const steps = readFeedInSteps(text, options)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** The same, with pauses in which the caller may do something else. */
export function* readFeedInSteps(text: string, options: MapOptions): Generator<undefined, ReadFeed> {
  const mapped = yield* mapFeed(documentWithoutControls(text).trimStart(), options)
  const { details, episodes, names, ...blocked } = mapped
  return {
    outline: { ...details, episodeCount: episodes.length, ...blocked },
    names,
    episodes: (order) => finished(order === 'newest first' ? episodes : episodes.toReversed()),
  }
}

function* finished(drafts: readonly EpisodeDraft[]): Generator<FeedEpisode, undefined> {
  for (const draft of drafts) yield draft.finish()
}

function* mapFeed(text: string, options: MapOptions): Generator<undefined, MappedFeed> {
  if (text === '') throw new NotAFeed('the document is empty')
  const feed = text.startsWith('{') ? mapJsonFeed(parseJson(text), options) : yield* mapXml(text, options)
  if (!feed) throw new NotAFeed('the document is no podcast feed')
  return feed
}

function* mapXml(text: string, options: MapOptions): Generator<undefined, MappedFeed | undefined> {
  const document = parseXml(text)
  yield
  return yield* mapXmlFeed(document, options)
}

function parseJson(text: string): unknown {
  checkJsonBounds(text)
  try {
    return JSON.parse(text)
  } catch {
    throw new NotAFeed('the document is broken JSON')
  }
}
