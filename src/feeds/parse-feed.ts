import { type FeedDocument, NotAFeed } from '../domain/feed-document.ts'
import { decodeText } from './decode-text.ts'
import { mapJsonFeed } from './map-json-feed.ts'
import { type MapOptions, mapXmlFeed } from './map-xml-feed.ts'
import { parseXml } from './xml-tree.ts'

/** A podcast feed in any of its formats. Throws `NotAFeed`. */
export function parseFeed(bytes: Uint8Array, contentType: string, options: MapOptions): FeedDocument {
  const text = decodeText(bytes, contentType).trimStart()
  if (text === '') throw new NotAFeed('the document is empty')
  const feed = text.startsWith('{') ? mapJsonFeed(parseJson(text), options) : fromXml(text, options)
  if (!feed) throw new NotAFeed('the document is no podcast feed')
  return feed
}

function fromXml(text: string, options: MapOptions): FeedDocument | undefined {
  const { name, root } = parseXml(text)
  return mapXmlFeed(name, root, options)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new NotAFeed('the document is broken JSON')
  }
}
