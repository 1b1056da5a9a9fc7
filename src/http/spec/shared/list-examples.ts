import { t } from 'elysia'
import type { PodcastObject } from '../../../domain/shared/podcast.ts'
import { jsonpWriter } from '../../../formats/json.ts'
import { jsonWriter, writeWhole } from '../../../formats/list-writer.ts'
import { textWriter } from '../../../formats/lists.ts'
import { opmlWriter } from '../../../formats/opml.ts'
import { podcastXmlWriter } from '../../../formats/podcast-xml.ts'
import type { Bodies } from '../../openapi/operation.ts'
import { toPodcastJson } from './podcast-json.ts'
import { objectSchema } from './schema.ts'

const BASE = 'https://pods.example'

/** Invented, as all hosts under `.example` are. */
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

const AS_IT_IS = jsonWriter((item: unknown) => item)
const text = writeWhole(textWriter, [PODCAST.url])
const opml = writeWhole(opmlWriter({ title: TITLE, created: NOW }), [PODCAST])

/** What the server would write of the podcast of all examples; JSON lists differ (docs/protocol.md#D39). */
export function written(json: readonly unknown[]): Bodies {
  return {
    'application/json': { example: json },
    'application/javascript': {
      example: writeWhole(jsonpWriter('show', AS_IT_IS), json),
    },
    'text/plain': { example: text },
    'text/xml': { example: opml },
    'application/xml': { example: writeWhole(podcastXmlWriter(BASE), [PODCAST]) },
  }
}

export const PODCAST_EXAMPLE = toPodcastJson(PODCAST, BASE)
export const USER_LIST_EXAMPLES = written([PODCAST_EXAMPLE])
export const DEVICE_LIST_EXAMPLES = written([PODCAST.url])

const UploadedList = t.Array(
  t.Union([t.String(), objectSchema({ url: t.String() }), objectSchema({ feed: t.String() })]),
  {
    description: 'Feed URLs, bare or inside of objects.',
  },
)

export const UPLOAD_EXAMPLES: Bodies = {
  'application/json': { schema: UploadedList, example: [PODCAST.url, 'https://stories.example/feed'] },
  'text/plain': { example: writeWhole(textWriter, [PODCAST.url, 'https://stories.example/feed']) },
  'text/xml': { example: opml },
}
