import { t } from 'elysia'
import { LIST_FORMATS } from '../../../formats/negotiate.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedList, describedObject, LIST_PARAMETERS, objectSchema, parameter } from '../shared/models.ts'
import { PODCAST_EXAMPLE, PodcastModel, PUBLIC_LIST_EXAMPLES } from '../shared/podcast.ts'
import { ITEM, Item } from './inbox.ts'

const q = parameter('Search text; required.', 'harbour')

const noQuery = errorResponse('validation_failed', 'The search text is missing.', 'q is required', 'q')

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
    'Each word must begin a word of the title, the author, the tags or the description; case, accents and order are ignored. If there are few results, a word of five letters or more may have a typo of one letter. The address of a feed finds its podcast. Signed-in users also find their own private podcasts.',
  query: objectSchema({ q, ...LIST_PARAMETERS }),
  suffixes: LIST_FORMATS,
  response: t.Array(PodcastModel, { description: 'At most 20 podcasts, best first.' }),
  formats: PUBLIC_LIST_EXAMPLES,
  errors: [noQuery],
})

export const searchAll = endpoint('Directory', 'searchAll', 'Search this server and the external directory', {
  description:
    'A podcast that both have is listed once, as local. `X-External-Directory` works as in the external search.',
  query: objectSchema({ q }),
  response: describedObject('At most 20 of each.', {
    local: t.Array(PodcastModel, { description: 'Podcasts of this server.' }),
    external: t.Array(ExternalModel, { description: 'Other podcasts, from the external directory.' }),
  }),
  example: { local: [PODCAST_EXAMPLE], external: [EXTERNAL_EXAMPLE] },
  errors: [noQuery, tooMany],
})

const WHY = [
  '`words` (no address in the text: use it as a search text)',
  '`page` (a web page without a link to a feed)',
  '`closed` (a service whose podcasts play only in its own apps)',
  '`directory_off`, `directory_unknown`, `directory_error` (a link to Apple Podcasts, but the external directory is not set up, does not know it, or does not respond)',
  '`unknown` (no details are available before the first subscription)',
  '`outbound_off` (unknown, and the server does not connect to others; it can be added as it is)',
  'or why the feed is not available: `forbidden`, `unreachable`, `timeout`, `tls`, `too_large`, `not_a_feed`, `gone`, `not_found`, `denied`, `blocked`, `refused`, `server_error`, `internal`',
].join('; ')

export const resolvePodcast = endpoint('Directory', 'resolvePodcast', 'Resolve a pasted link', {
  description:
    'Accepts the address of a feed, with or without a scheme; a web page, whose links to feeds are followed; links for podcast apps, such as `feed:`, `pcast:` or those of antennapod.org; and a link to Apple Podcasts, if the external directory knows it. Feeds that the server does not know are fetched.',
  body: objectSchema({
    text: t.Optional(
      t.String({ description: 'Pasted or typed text; required. Only the first 4,096 characters are read.' }),
    ),
  }),
  bodyExample: { text: 'https://tidewater.example/harbour' },
  response: describedObject('Podcasts that the text may refer to.', {
    candidates: describedList('The podcasts. Unknown texts are empty.', {
      url: t.String({ description: 'Feed URL.' }),
      title: t.String(),
      author: t.String(),
      description: t.String(),
      logo_url: t.String(),
    }),
    reason: t.String({
      description: `Why there are no candidates; empty if there are any. ${WHY}. New ones may be added.`,
    }),
    address: t.String({ description: 'The address that was tried; empty if the text contains none.' }),
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
      'More than 30 addresses from this user within a minute.',
      'too many attempts, try again later',
    ),
  ],
})

export const searchExternal = endpoint('Directory', 'searchExternal', 'Search the external directory', {
  description:
    'The `X-External-Directory` header explains an empty list: no matches (`ok`), no configured directory (`off`), or a failed request to the directory (`error`).',
  query: objectSchema({ q }),
  response: t.Array(ExternalModel, { description: 'At most 20 podcasts.' }),
  example: [EXTERNAL_EXAMPLE],
  errors: ['validation_failed', tooMany],
})

export const listTrending = endpoint('Directory', 'listTrending', 'List trending podcasts of the external directory', {
  description: 'From the external directory. `X-External-Directory` works as in its search.',
  query: objectSchema({
    lang: parameter('Language, such as `de`; by default, all.', 'de'),
    max: parameter('Number of podcasts: 1 to 50, by default 20.', '20'),
  }),
  response: t.Array(ExternalModel, { description: 'Podcasts that are currently popular.' }),
  example: [EXTERNAL_EXAMPLE],
  errors: ['validation_failed', tooMany],
})

export const searchOwn = endpoint('Directory', 'searchOwn', 'Search your podcasts, episodes and history', {
  description:
    'Every word must begin a word of the title, or be a word of the title or the notes. If there are few results, the last word may also begin a word of the notes, and words of titles may have one typo. Accents are ignored. Matches in titles come first, then newer episodes. New episodes can be found a few seconds after their feed was fetched.',
  query: objectSchema({ q }),
  response: describedObject('The matches.', {
    podcasts: t.Array(PodcastModel, { description: 'Up to 20 of your podcasts.' }),
    episodes: t.Array(Item, { description: 'Up to 50 episodes of podcasts that you are subscribed to.' }),
    history: t.Array(Item, {
      description: 'Up to 20 episodes that you have started or played, including those of other podcasts.',
    }),
  }),
  example: { podcasts: [PODCAST_EXAMPLE], episodes: [ITEM], history: [] },
  errors: [noQuery],
})
