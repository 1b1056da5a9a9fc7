import type { PodcastObject } from '../domain/podcast.ts'
import { wrapJsonp } from '../formats/jsonp.ts'
import type { ListFormat } from '../formats/negotiate.ts'
import { writeOpml } from '../formats/opml.ts'
import { writePodcastXml } from '../formats/podcast-xml.ts'
import { writeText } from '../formats/text.ts'
import { toPodcastJson } from './podcast-json.ts'
import { TextResponse } from './text-response.ts'

/** Formats that say more of a podcast than its URL whichever list it is. */
export type PodcastFormat = 'opml' | 'xml'

export interface ListHead {
  readonly title: string
  /** Unix seconds, for OPML's `dateCreated`. */
  readonly now: number
  readonly base: string
}

/** A list of podcasts in any format (protocol.md 2.3), in JSON as `toJson` writes each. Throws `validation_failed` for a bad `callback`. */
export function podcastListResponse<T extends PodcastObject>(
  format: ListFormat,
  podcasts: readonly T[],
  head: ListHead,
  callback: string | undefined,
  toJson: (podcast: T, base: string) => unknown = toPodcastJson,
): Response {
  if (format === 'txt') return urlsResponse(podcasts.map(({ url }) => url))
  if (format === 'opml' || format === 'xml') return podcastsResponse(format, podcasts, head)
  return jsonResponse(
    format,
    podcasts.map((podcast) => toJson(podcast, head.base)),
    callback,
  )
}

/** A list of podcasts in a format that describes them (protocol.md 2.3). */
export function podcastsResponse(format: PodcastFormat, podcasts: readonly PodcastObject[], head: ListHead): Response {
  return format === 'opml'
    ? new TextResponse(writeOpml({ title: head.title, created: head.now, podcasts }), 'text/xml; charset=utf-8')
    : new TextResponse(writePodcastXml(podcasts, head.base), 'application/xml; charset=utf-8')
}

/** One feed URL a line. */
export function urlsResponse(urls: readonly string[]): Response {
  return new TextResponse(writeText(urls), 'text/plain; charset=utf-8')
}

/** `list` as JSON, or for suffix `jsonp` in a call of `callback`; throws `validation_failed` for a bad name. */
export function jsonResponse(
  format: 'json' | 'jsonp',
  list: readonly unknown[],
  callback: string | undefined,
): Response {
  const json = JSON.stringify(list)
  return format === 'json'
    ? new TextResponse(json, 'application/json')
    : new TextResponse(wrapJsonp(callback, json), 'application/javascript; charset=utf-8')
}
