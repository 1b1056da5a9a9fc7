import { type FingerprintedEpisode, NotAFeed } from '../domain/feeds/document.ts'
import { decodeText } from '../platform/decode-text.ts'
import { type ReadFeed, readFeed } from './parse/parse-feed.ts'
import type { DocumentRequest, EpisodesRequest, ParseRequest, ParseResponse } from './parse-messages.ts'
import { EPISODES_AT_ONCE, namesOf, unknownEpisodes } from './unknown-episodes.ts'

/** Runs on a thread of its own: a large feed takes seconds, in which others want to sync. */

declare const self: Worker

type Episodes = Pick<ReadFeed, 'episodes' | 'names'>

const NONE: Episodes = { episodes: () => [].values(), names: namesOf([]) }

/** Of the document that was parsed last: all its episodes, and those of them that are wanted. */
let all = NONE
let wanted: Iterator<FingerprintedEpisode> = [].values()

self.onmessage = ({ data }: MessageEvent<ParseRequest>) => {
  postMessage(answer(data))
}

function answer(order: ParseRequest): ParseResponse {
  const { number } = order
  try {
    return { number, ...('bytes' in order ? open(order) : { episodes: next(order) }) }
  } catch (error) {
    if (error instanceof NotAFeed) return { number, notAFeed: error.message }
    return { number, broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function open({ bytes, contentType, options }: DocumentRequest) {
  // What is left of the one before, and the bytes of this one: memory counts more than anything here.
  all = NONE
  wanted = [].values()
  const text = decodeText(bytes, contentType)
  bytes.buffer.transfer(0)
  const { outline, episodes, names } = readFeed(text, options)
  all = { episodes, names }
  return { document: outline }
}

function next({ known, order }: EpisodesRequest): FingerprintedEpisode[] {
  if (known !== undefined) wanted = unknownEpisodes(all.episodes(order), known, all.names)
  const slice: FingerprintedEpisode[] = []
  while (slice.length < EPISODES_AT_ONCE) {
    const { value, done } = wanted.next()
    if (done) break
    slice.push(value)
  }
  return slice
}
