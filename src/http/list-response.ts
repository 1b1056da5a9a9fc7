import type { PodcastObject } from '../domain/podcast.ts'
import { wrapJsonp } from '../formats/jsonp.ts'
import type { ListFormat } from '../formats/negotiate.ts'
import { writeOpml } from '../formats/opml.ts'
import { writePodcastXml } from '../formats/podcast-xml.ts'
import { writeText } from '../formats/text.ts'

export interface ListAnswer {
  readonly podcasts: readonly PodcastObject[]
  /** What the JSON formats show; the two JSON lists of the protocol differ (D39). */
  readonly json: () => unknown
  readonly title: string
  /** Unix seconds, for OPML's `dateCreated`. */
  readonly now: number
  readonly base: string
  /** The query parameter `jsonp`. */
  readonly callback: string | undefined
}

/** A podcast list in the format its suffix asks for (protocol.md 2.3). Throws `validation_failed` for a bad `jsonp` name. */
export function listResponse(format: ListFormat, { podcasts, json, title, now, base, callback }: ListAnswer): Response {
  switch (format) {
    case 'json':
      return text(JSON.stringify(json()), 'application/json')
    case 'jsonp':
      return text(wrapJsonp(callback, JSON.stringify(json())), 'application/javascript; charset=utf-8')
    case 'txt':
      return text(writeText(podcasts.map(({ url }) => url)), 'text/plain; charset=utf-8')
    case 'opml':
      return text(writeOpml({ title, created: now, podcasts }), 'text/xml; charset=utf-8')
    case 'xml':
      return text(writePodcastXml(podcasts, base), 'application/xml; charset=utf-8')
  }
}

function text(body: string, contentType: string): Response {
  return new Response(body, { headers: { 'content-type': contentType } })
}
