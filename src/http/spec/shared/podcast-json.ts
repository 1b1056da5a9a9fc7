import { t } from 'elysia'
import type { PodcastObject } from '../../../domain/shared/podcast.ts'
import { podcastLink } from '../../../formats/podcast-xml.ts'
import { objectSchema } from './schema.ts'

/** The podcast object of docs/protocol.md#podcast-object: always all keys, never null (D20). */
export const PodcastModel = objectSchema({
  url: t.String({ description: 'Feed URL.' }),
  title: t.String({ description: 'The feed URL while no title is known.' }),
  author: t.String(),
  description: t.String(),
  website: t.String(),
  logo_url: t.String(),
  scaled_logo_url: t.String({ description: 'The same as `logo_url`: pictures are not scaled.' }),
  language: t.String({ description: 'Like `en` or `pt-br`.' }),
  subscribers: t.Integer({ description: 'People on this server who are subscribed.' }),
  subscribers_last_week: t.Integer({ description: 'As many a week ago.' }),
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
    // We do not scale pictures (docs/protocol.md#D7).
    scaled_logo_url: logoUrl,
    language,
    subscribers,
    subscribers_last_week: subscribersLastWeek,
    mygpo_link: podcastLink(base, url),
  }
}
