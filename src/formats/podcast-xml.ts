import type { PodcastObject } from '../domain/shared/podcast.ts'
import { escapeXml } from './xml-scan.ts'

/** The custom format of suffix `xml` (docs/protocol.md#formats). `base` is the public base URL, for `mygpo_link`. */
export function writePodcastXml(podcasts: readonly PodcastObject[], base: string): string {
  const elements = podcasts.map((podcast) => writePodcast(podcast, base)).join('')
  return `<?xml version="1.0" encoding="utf-8"?>\n<podcasts>\n${elements}</podcasts>\n`
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
    // This server does not scale pictures (docs/protocol.md#D7).
    element('scaled_logo_url', podcast.logoUrl),
  ]
  return `  <podcast>\n${lines.join('')}  </podcast>\n`
}

function element(name: string, text: string): string {
  return `    <${name}>${escapeXml(text)}</${name}>\n`
}

/** `mygpo_link` (docs/protocol.md#podcast-object): the page about a podcast. `base` is the public base URL. */
export function podcastLink(base: string, url: string): string {
  return `${base}/podcast?url=${encode(url)}`
}

/** `mygpo_link` of an episode (docs/protocol.md#episode-object). */
export function episodeLink(base: string, podcastUrl: string, url: string): string {
  return `${base}/episode?podcast=${encode(podcastUrl)}&url=${encode(url)}`
}

function encode(url: string): string {
  return encodeURIComponent(url.toWellFormed())
}
