import type { PodcastObject } from '../../domain/shared/podcast.ts'
import { writeJsonp, writeUrls } from '../../formats/lists.ts'
import type { ListFormat } from '../../formats/negotiate.ts'
import { type OpmlFolder, writeOpml } from '../../formats/opml.ts'
import { writePodcastXml } from '../../formats/podcast-xml.ts'
import { toPodcastJson } from '../spec/shared/podcast.ts'
import { TextResponse } from './text-response.ts'

/** Formats that describe podcasts, not just list URLs, in every list. */
export type PodcastFormat = 'opml' | 'xml'

export interface ListHead {
  readonly title: string
  /** Unix seconds, for OPML's `dateCreated`. */
  readonly now: number
  readonly base: string
  /** Folders of the user, for OPML. */
  readonly folders?: readonly OpmlFolder[]
}

/** Podcasts in any format (docs/protocol.md#formats). `toJson` converts them for JSON. Throws `validation_failed`. */
export function podcastListResponse<T extends PodcastObject>(
  format: ListFormat,
  podcasts: readonly T[],
  head: ListHead,
  callback?: string,
  toJson: (podcast: T, base: string) => unknown = toPodcastJson,
): Response {
  if (format === 'txt') return urlsResponse(podcasts.map(({ url }) => url))
  if (format === 'opml' || format === 'xml') return podcastsResponse(format, podcasts, head)
  const list = podcasts.map((podcast) => toJson(podcast, head.base))
  return format === 'json'
    ? jsonResponse(list)
    : new TextResponse(writeJsonp(callback, list), 'application/javascript; charset=utf-8')
}

/** Podcasts as OPML or XML (docs/protocol.md#formats). */
export function podcastsResponse(format: PodcastFormat, podcasts: readonly PodcastObject[], head: ListHead): Response {
  return format === 'opml'
    ? new TextResponse(
        writeOpml(podcasts, { title: head.title, created: head.now, folders: head.folders }),
        'text/xml; charset=utf-8',
      )
    : new TextResponse(writePodcastXml(podcasts, head.base), 'application/xml; charset=utf-8')
}

export function urlsResponse(urls: readonly string[]): Response {
  return new TextResponse(writeUrls(urls), 'text/plain; charset=utf-8')
}

export function jsonResponse(value: unknown): Response {
  return new TextResponse(JSON.stringify(value), 'application/json')
}
