import { t } from 'elysia'
import { LIST_FORMATS } from '../../../formats/negotiate.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedList, describedObject, LIST_PARAMETERS, objectSchema, parameter } from '../shared/models.ts'
import { PODCAST_EXAMPLE, PodcastModel, PUBLIC_LIST_EXAMPLES } from '../shared/podcast.ts'
import { ITEM, Item } from './inbox.ts'

const q = parameter('What to look for; needed.', 'harbour')

const noQuery = errorResponse('validation_failed', 'There is nothing to look for.', 'q is required', 'q')

const tooMany = errorResponse(
  'rate_limited',
  'More than 60 requests from this address within a minute.',
  'too many attempts, try again later',
)

/** The external podcast object of docs/protocol.md#external-directory: all strings, never null. */
const ExternalModel = objectSchema({
  title: t.String(),
  url: t.String({ description: 'Feed URL.' }),
  description: t.String(),
  author: t.String(),
  logo_url: t.String(),
  language: t.String(),
  source: t.String({ description: 'The directory that supplied the entry.' }),
})

const EXTERNAL_EXAMPLE: typeof ExternalModel.static = {
  title: 'Harbour Talk',
  url: 'https://feeds.tidewater.example/harbour.xml',
  description: 'Boats, and who sails them.',
  author: 'Tidewater',
  logo_url: 'https://tidewater.example/logo.png',
  language: 'en',
  source: 'podcastindex',
}

export const search = endpoint('Directory', 'search', 'Search the podcasts of this server', {
  description:
    'Each word must begin a word of the title, the author, the tags or the description; case, accents and the order do not matter. With few results a word of five letters or more may be mistyped by one letter. The address of a feed finds the podcast. Signed-in users find their own private podcasts too.',
  query: objectSchema({ q, ...LIST_PARAMETERS }),
  suffixes: LIST_FORMATS,
  response: t.Array(PodcastModel, { description: 'At most 20 podcasts, best first.' }),
  formats: PUBLIC_LIST_EXAMPLES,
  errors: [noQuery],
})

export const searchAll = endpoint('Directory', 'searchAll', 'Search this server and the external directory', {
  description:
    'What the external directory and this server both have is listed once, as local. `X-External-Directory` as with the external search.',
  query: objectSchema({ q }),
  response: describedObject('At most 20 of each.', {
    local: t.Array(PodcastModel, { description: 'Podcasts of this server.' }),
    external: t.Array(ExternalModel, { description: 'Others, from an external directory.' }),
  }),
  example: { local: [PODCAST_EXAMPLE], external: [EXTERNAL_EXAMPLE] },
  errors: [noQuery, tooMany],
})

const WHY = [
  '`words` (no address in it: search for it)',
  '`page` (a web page that names no feed)',
  '`closed` (a service with podcasts for its own apps only)',
  '`directory_off`, `directory_unknown`, `directory_error` (a link to Apple Podcasts, and the external directory is not set up, does not know it, or does not answer)',
  '`unknown` (nothing is told of it before somebody is subscribed)',
  '`outbound_off` (it is unknown here, and the server connects to no others: it can be added as it is)',
  'or why the feed cannot be had: `forbidden`, `unreachable`, `timeout`, `tls`, `too_large`, `not_a_feed`, `gone`, `not_found`, `denied`, `blocked`, `refused`, `server_error`, `internal`',
].join('; ')

export const resolvePodcast = endpoint('Directory', 'resolvePodcast', 'Resolve a pasted link', {
  description:
    'The address of a feed, with or without scheme; a web page, whose links to feeds are followed; links for podcast apps, such as `feed:`, `pcast:` or those of antennapod.org; a link to Apple Podcasts, where the external directory knows it. What is not known here is fetched.',
  body: objectSchema({
    text: t.Optional(
      t.String({ description: 'What somebody has pasted or typed; needed. 4,096 characters are read.' }),
    ),
  }),
  bodyExample: { text: 'https://tidewater.example/harbour' },
  response: describedObject('What it may mean.', {
    candidates: describedList('The podcasts; texts are empty where nobody knows.', {
      url: t.String({ description: 'Feed URL.' }),
      title: t.String(),
      author: t.String(),
      description: t.String(),
      logo_url: t.String(),
    }),
    reason: t.String({ description: `Why there are none; empty if there are any. ${WHY}. There may be new ones.` }),
    address: t.String({ description: 'The address that was tried; empty if there is none in the text.' }),
  }),
  example: {
    candidates: [
      {
        url: EXTERNAL_EXAMPLE.url,
        title: EXTERNAL_EXAMPLE.title,
        author: EXTERNAL_EXAMPLE.author,
        description: EXTERNAL_EXAMPLE.description,
        logo_url: EXTERNAL_EXAMPLE.logo_url,
      },
    ],
    reason: '',
    address: 'https://tidewater.example/harbour',
  },
  errors: [
    errorResponse('validation_failed', 'The text is missing.', 'text is required', 'text'),
    errorResponse(
      'rate_limited',
      'More than 30 addresses of the user within a minute.',
      'too many attempts, try again later',
    ),
  ],
})

export const searchExternal = endpoint('Directory', 'searchExternal', 'Search the external directory', {
  description:
    'The `X-External-Directory` header tells whether an empty list means that there is nothing (`ok`), that the server has no directory (`off`), or that the directory could not be asked (`error`).',
  query: objectSchema({ q }),
  response: t.Array(ExternalModel, { description: 'At most 20 podcasts.' }),
  example: [EXTERNAL_EXAMPLE],
  errors: ['validation_failed', tooMany],
})

export const listTrending = endpoint('Directory', 'listTrending', 'List trending podcasts of the external directory', {
  description: 'From an external directory; `X-External-Directory` as with its search.',
  query: objectSchema({
    lang: parameter('A language, such as `de`; all unless given.', 'de'),
    max: parameter('How many: 1 to 50, 20 unless given.', '20'),
  }),
  response: t.Array(ExternalModel, { description: 'Podcasts that are popular now.' }),
  example: [EXTERNAL_EXAMPLE],
  errors: ['validation_failed', tooMany],
})

export const searchOwn = endpoint('Directory', 'searchOwn', 'Search your podcasts, episodes and history', {
  description:
    'Every word must begin a word of the title, or be a word of the title or the notes; where little is found, the last word may also begin a word of the notes. Accents do not matter, and one typo in words that some title has does not where little is found. Matches in titles come first, then newer episodes. New episodes are found a few seconds after their feed was fetched.',
  query: objectSchema({ q }),
  response: describedObject('What was found.', {
    podcasts: t.Array(PodcastModel, { description: 'Up to 20 of your podcasts.' }),
    episodes: t.Array(Item, { description: 'Up to 50 episodes of podcasts that you are subscribed to.' }),
    history: t.Array(Item, { description: 'Up to 20 episodes that you have begun or heard, also of other podcasts.' }),
  }),
  example: { podcasts: [PODCAST_EXAMPLE], episodes: [ITEM], history: [] },
  errors: [noQuery],
})
