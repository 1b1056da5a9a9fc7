import { t } from 'elysia'
import type { PodcastObject } from '../domain/podcast.ts'
import { podcastLink } from '../formats/podcast-link.ts'
import { shape } from './shape.ts'

/** The podcast object of protocol.md 3.1: always all keys, never null (D20). */
export const PodcastModel = shape({
  url: t.String({ description: 'Feed URL.' }),
  title: t.String(),
  author: t.String(),
  description: t.String(),
  website: t.String(),
  logo_url: t.String(),
  scaled_logo_url: t.String(),
  language: t.String(),
  subscribers: t.Integer(),
  subscribers_last_week: t.Integer(),
  mygpo_link: t.String(),
})

export function toPodcastJson(podcast: PodcastObject, base: string): typeof PodcastModel.static {
  const { url, title, author, description, website, logoUrl, language, subscribers, subscribersLastWeek } = podcast
  return {
    url,
    title: title || url,
    author,
    description,
    website,
    logo_url: logoUrl,
    // We do not scale pictures (protocol.md D7).
    scaled_logo_url: logoUrl,
    language,
    subscribers,
    subscribers_last_week: subscribersLastWeek,
    mygpo_link: podcastLink(base, url),
  }
}
