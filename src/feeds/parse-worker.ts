import { NotAFeed } from '../domain/feed-document.ts'
import { parseFeed } from './parse-feed.ts'
import type { ParseOrder, ParseReply } from './parser-thread.ts'

/** Runs on a thread of its own: a large feed takes seconds, in which others want to sync. */

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<ParseOrder>) => {
  postMessage(parse(data))
}

function parse({ number, bytes, contentType, options }: ParseOrder): ParseReply {
  try {
    return { number, document: parseFeed(bytes, contentType, options) }
  } catch (error) {
    if (error instanceof NotAFeed) return { number, notAFeed: error.message }
    return { number, broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
