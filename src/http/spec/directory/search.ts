import { t } from 'elysia'
import { LIST_FORMATS } from '../../../formats/negotiate.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, LIST_PARAMETERS, objectSchema, parameter } from '../shared/models.ts'
import { PODCAST_EXAMPLE, PodcastModel, USER_LIST_EXAMPLES } from '../shared/podcast.ts'

const q = parameter('What to look for; needed.', 'harbour')

const noQuery = errorResponse('validation_failed', 'There is nothing to look for.', 'q is required', 'q')

const tooMany = errorResponse(
  'rate_limited',
  'More than 60 requests from this address within a minute.',
  'too many attempts, try again later',
)

/** The external podcast object of docs/protocol.md#external-directory: all texts, never null. */
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
  formats: USER_LIST_EXAMPLES,
  errors: [noQuery],
})

export const searchAll = endpoint('Directory', 'searchAll', 'Search here and elsewhere', {
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

export const searchExternal = endpoint('Directory', 'searchExternal', 'Search an external directory', {
  description:
    'The `X-External-Directory` header tells whether an empty list means that there is nothing (`ok`), that the server has no credentials for a directory (`off`), or that the directory could not be asked (`error`).',
  query: objectSchema({ q }),
  response: t.Array(ExternalModel, { description: 'At most 20 podcasts.' }),
  example: [EXTERNAL_EXAMPLE],
  errors: ['validation_failed', tooMany],
})

export const listTrending = endpoint('Directory', 'listTrending', 'List what is trending elsewhere', {
  description: 'From an external directory; `X-External-Directory` as with its search.',
  query: objectSchema({
    lang: parameter('A language, such as `de`; all unless given.', 'de'),
    max: parameter('How many: 1 to 50, 20 unless given.', '20'),
  }),
  response: t.Array(ExternalModel, { description: 'Podcasts that are popular now.' }),
  example: [EXTERNAL_EXAMPLE],
  errors: ['validation_failed', tooMany],
})
