import type { PodcastObject } from '../domain/podcast.ts'
import type { ListWriter } from './list-writer.ts'
import { podcastLink } from './podcast-link.ts'
import { escapeXml } from './xml-escape.ts'

/**
 * The custom format of suffix `xml` (protocol.md 2.3). `base` is the public base URL without trailing slash, for
 * `mygpo_link`.
 */
export function podcastXmlWriter(base: string): ListWriter<PodcastObject> {
  return {
    before: '<?xml version="1.0" encoding="utf-8"?>\n<podcasts>\n',
    write: (podcasts) => podcasts.map((podcast) => writePodcast(podcast, base)).join(''),
    after: '</podcasts>\n',
  }
}

function writePodcast(podcast: PodcastObject, base: string): string {
  const lines = [
    element('title', podcast.title || podcast.url),
    element('url', podcast.url),
    element('website', podcast.website),
    element('mygpo_link', podcastLink(base, podcast.url)),
    element('author', podcast.author),
    element('description', podcast.description),
    element('subscribers', String(podcast.subscribers)),
    element('logo_url', podcast.logoUrl),
    // We do not scale pictures (protocol.md D7).
    element('scaled_logo_url', podcast.logoUrl),
  ]
  return `  <podcast>\n${lines.join('')}  </podcast>\n`
}

function element(name: string, text: string): string {
  return `    <${name}>${escapeXml(text)}</${name}>\n`
}
