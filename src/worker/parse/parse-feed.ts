import {
  type EpisodeSelection,
  type FeedEpisode,
  type FeedOutline,
  type FingerprintedEpisode,
  NotAFeed,
} from '../../domain/feeds/document.ts'
import { nextTurn } from '../../platform/clock.ts'
import { decodeText } from '../../platform/decode-text.ts'
import { createFingerprints, type EpisodeNames } from '../fingerprints.ts'
import { checkJsonBounds } from './document-bounds.ts'
import { documentWithoutControls } from './feed-values.ts'
import { mapJsonFeed } from './map-json-feed.ts'
import { mapXmlFeed } from './map-xml-feed.ts'
import type { EpisodeDraft, MapOptions, MappedFeed } from './mapped-feed.ts'
import { parseXml } from './xml-document.ts'

interface ReadFeed {
  readonly outline: FeedOutline
  readonly nextUrl: string
  readonly names: EpisodeNames
  episodes(order: EpisodeSelection['order']): IterableIterator<FeedEpisode>
}

/** Reads a podcast feed in any format, with pauses for other work. Throws `NotAFeed`. */
export function* readFeedInSteps(text: string, options: MapOptions): Generator<undefined, ReadFeed> {
  const mapped = yield* mapFeed(documentWithoutControls(text).trimStart(), options)
  const { details, nextUrl, episodes, names, ...blocked } = mapped
  return {
    outline: { ...details, episodeCount: episodes.length, ...blocked },
    nextUrl,
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
  if (!feed) throw new NotAFeed('the document is not a podcast feed')
  return feed
}

function* mapXml(text: string, options: MapOptions): Generator<undefined, MappedFeed | undefined> {
  const document = parseXml(text, options.url)
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

export interface EpisodeSink {
  begin(): void
  add(episodes: readonly FingerprintedEpisode[]): void
}

export interface DocumentRequest {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly options: MapOptions
  readonly wanted: EpisodeSelection
}

export interface ParsedDocument extends Pick<ReadFeed, 'outline' | 'nextUrl' | 'names'> {
  readonly hasStored: boolean
}

/** Parses documents one at a time, passing wanted episodes to the sink. Throws `NotAFeed`. */
export type ParseDocument = (request: DocumentRequest, sink: EpisodeSink) => Promise<ParsedDocument>

/** Few enough for the server to process without delaying a request. */
const EPISODES_PER_MESSAGE = 10
/** Only hostile documents take more processor time. */
const PROCESSOR_MS_MAX = 20_000
/** Time between pauses of the parser for the event loop, which fetches other feeds and sends heartbeats. */
const STEP_MS = 20
/** Larger documents leave much garbage, which the collector would free late. */
const LARGE_BYTES = 2 * 1024 * 1024

export interface ParserClocks {
  /** Processor milliseconds of this process, including those of concurrent fetches, which are far below the limit. */
  processorMs(): number
  monotonic(): number
}

export function createDocumentParser(clocks: ParserClocks): ParseDocument {
  let last: Promise<unknown> = Promise.resolve()
  return (request, sink) => {
    const parsing = last.then(() => parse(request, sink, clocks))
    last = parsing.catch(() => undefined)
    return parsing
  }
}

async function parse(request: DocumentRequest, sink: EpisodeSink, clocks: ParserClocks): Promise<ParsedDocument> {
  const isLarge = request.bytes.length > LARGE_BYTES
  sink.begin()
  try {
    return await parseInSteps(request, sink, createPacer(clocks))
  } finally {
    if (isLarge) {
      await nextTurn()
      Bun.gc(true)
    }
  }
}

async function parseInSteps(
  { bytes, contentType, options, wanted }: DocumentRequest,
  sink: EpisodeSink,
  pace: () => Promise<void> | undefined,
): Promise<ParsedDocument> {
  const text = decodeText(bytes, contentType)
  release(bytes)
  const steps = readFeedInSteps(text, options)
  let step = steps.next()
  while (!step.done) {
    await pace()
    step = steps.next()
  }
  const { outline, nextUrl, episodes, names } = step.value
  let slice: FingerprintedEpisode[] = []
  let remaining = wanted.limit ?? Number.POSITIVE_INFINITY
  const fingerprints = createFingerprints(wanted.fingerprints, names)
  for (const each of episodes(wanted.order)) {
    await pace()
    const episode = fingerprints.changed(each)
    if (!episode) continue
    slice.push(episode)
    if (slice.length === EPISODES_PER_MESSAGE) {
      sink.add(slice)
      slice = []
    }
    if (--remaining === 0) break
  }
  if (slice.length > 0) sink.add(slice)
  return { outline, nextUrl, names, hasStored: nextUrl !== '' && fingerprints.hasStored() }
}

/** Pauses for the event loop when due; throws `NotAFeed` if the document has used too much processor time. */
function createPacer({ processorMs, monotonic }: ParserClocks): () => Promise<void> | undefined {
  const atFirst = processorMs()
  let stepStart = monotonic()
  return () => {
    if (monotonic() - stepStart < STEP_MS) return undefined
    if (processorMs() - atFirst >= PROCESSOR_MS_MAX) throw new NotAFeed('parsing the document takes too long')
    return nextTurn().then(() => {
      stepStart = monotonic()
    })
  }
}

/** Frees the memory of the bytes at once, unless it is shared, to make room for the text of the document. */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
