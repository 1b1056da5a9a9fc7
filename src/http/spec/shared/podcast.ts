import { t } from 'elysia'
import type { PodcastObject } from '../../../domain/shared/podcast.ts'
import { writeJsonp, writeUrls } from '../../../formats/lists.ts'
import { writeOpml } from '../../../formats/opml.ts'
import { podcastLink, writePodcastXml } from '../../../formats/podcast-xml.ts'
import type { BodyFormats } from '../../endpoint.ts'
import { integer, objectSchema } from './models.ts'

/** The podcast object of docs/protocol.md#podcast-object. All keys are present and never null (D20). */
export const PodcastModel = objectSchema({
  url: t.String({ description: 'Feed URL.' }),
  title: t.String({ description: 'The feed URL while no title is known.' }),
  author: t.String(),
  description: t.String(),
  website: t.String(),
  logo_url: t.String(),
  scaled_logo_url: t.String({ description: 'Same as `logo_url`: pictures are not scaled.' }),
  language: t.String({ description: 'Language tag, such as `en` or `pt-br`.' }),
  subscribers: integer({ description: 'Number of users of this server who are subscribed.' }),
  subscribers_last_week: integer({ description: 'Number of subscribers a week ago.' }),
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
    // Pictures are not scaled (docs/protocol.md#D7).
    scaled_logo_url: logoUrl,
    language,
    subscribers,
    subscribers_last_week: subscribersLastWeek,
    mygpo_link: podcastLink(base, url),
  }
}

const BASE = 'https://pods.example'

/** Fictitious, like all hosts under `.example`. */
const PODCAST: PodcastObject = {
  url: 'https://feeds.tidewater.example/harbour.xml',
  title: 'Harbour Talk',
  author: 'Tidewater Radio',
  description: 'Pilots, gulls and the people who wait for both.',
  website: 'https://tidewater.example/harbour',
  logoUrl: 'https://tidewater.example/harbour.png',
  language: 'en',
  subscribers: 3,
  subscribersLastWeek: 2,
}

const TITLE = 'Subscriptions of ida'
/** 2025-03-02 10:00 UTC, the day of all examples. */
const NOW = 1_740_909_600

const text = writeUrls([PODCAST.url])
const opml = writeOpml([PODCAST], { title: TITLE, created: NOW })

/** Examples of a list in every format; only JSON differs between lists (docs/protocol.md#D39). */
export function listExamples(json: readonly unknown[]): BodyFormats {
  return {
    // In the order of `LIST_FORMATS`.
    'application/json': { example: json },
    'application/javascript': { example: writeJsonp('show', json) },
    ...privateListExamples(json),
  }
}

/** `listExamples` for private lists. */
export function privateListExamples(json: readonly unknown[]): BodyFormats {
  return {
    'application/json': { example: json },
    'text/plain': { example: text },
    'text/xml': { example: opml },
    'application/xml': { example: writePodcastXml([PODCAST], BASE) },
  }
}

export const PODCAST_EXAMPLE = toPodcastJson(PODCAST, BASE)
export const PUBLIC_LIST_EXAMPLES = listExamples([PODCAST_EXAMPLE])
export const USER_LIST_EXAMPLES = privateListExamples([PODCAST_EXAMPLE])
export const DEVICE_LIST_EXAMPLES = privateListExamples([PODCAST.url])

const UploadedList = t.Array(
  t.Union([t.String(), objectSchema({ url: t.String() }), objectSchema({ feed: t.String() })]),
  {
    description: 'Feed URLs, as strings or in objects.',
  },
)

export const UPLOAD_EXAMPLES: BodyFormats = {
  'application/json': { schema: UploadedList, example: [PODCAST.url, 'https://stories.example/feed'] },
  'text/plain': { example: writeUrls([PODCAST.url, 'https://stories.example/feed']) },
  'text/xml': { example: opml },
}
