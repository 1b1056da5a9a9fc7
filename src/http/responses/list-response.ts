import { isShort, type List, mapList } from '../../domain/shared/lists.ts'
import type { PodcastObject } from '../../domain/shared/podcast.ts'
import { jsonWriter, type ListWriter, writePieces, writeWhole } from '../../formats/list-writer.ts'
import { jsonpWriter, textWriter } from '../../formats/lists.ts'
import type { ListFormat } from '../../formats/negotiate.ts'
import { opmlWriter } from '../../formats/opml.ts'
import { podcastXmlWriter } from '../../formats/podcast-xml.ts'
import { toPodcastJson } from '../spec/shared/podcast.ts'
import { streamText, TextResponse } from './text-response.ts'

/** Formats that say more of a podcast than its URL whichever list it is. */
export type PodcastFormat = 'opml' | 'xml'

export interface ListHead {
  readonly title: string
  /** Unix seconds, for OPML's `dateCreated`. */
  readonly now: number
  readonly base: string
}

/** Podcasts in any format (docs/protocol.md#formats), in JSON as `toJson` writes it. Throws `validation_failed`. */
export function podcastListResponse<T extends PodcastObject>(
  format: ListFormat,
  podcasts: List<T>,
  head: ListHead,
  callback?: string,
  toJson: (podcast: T, base: string) => unknown = toPodcastJson,
): Response {
  if (format === 'txt') return urlsResponse(mapList(podcasts, ({ url }) => url))
  if (format === 'opml' || format === 'xml') return podcastsResponse(format, podcasts, head)
  return jsonResponse(
    format,
    mapList(podcasts, (podcast) => toJson(podcast, head.base)),
    callback,
  )
}

/** A list of podcasts in a format that describes them (docs/protocol.md#formats). */
export function podcastsResponse(format: PodcastFormat, podcasts: List<PodcastObject>, head: ListHead): Response {
  return format === 'opml'
    ? listResponse(podcasts, opmlWriter({ title: head.title, created: head.now }), 'text/xml; charset=utf-8')
    : listResponse(podcasts, podcastXmlWriter(head.base), 'application/xml; charset=utf-8')
}

/** One feed URL a line. */
export function urlsResponse(urls: List<string>): Response {
  return listResponse(urls, textWriter, 'text/plain; charset=utf-8')
}

/** `list` as JSON, or for suffix `jsonp` in a call of `callback`; throws `validation_failed` for a bad name. */
export function jsonResponse(format: 'json' | 'jsonp', list: List<unknown>, callback?: string): Response {
  const writer = jsonWriter((item: unknown) => item)
  return format === 'json'
    ? listResponse(list, writer, 'application/json')
    : listResponse(list, jsonpWriter(callback, writer), 'application/javascript; charset=utf-8')
}

function listResponse<T>(list: List<T>, writer: ListWriter<T>, contentType: string): Response {
  return new TextResponse(
    isShort(list) ? writeWhole(writer, list) : streamText(writePieces(writer, list.pieces)),
    contentType,
  )
}
