import { t } from 'elysia'
import { LIST_FORMATS, splitSuffix } from '../../../formats/negotiate.ts'
import { type BodyReader, readAnyText, readText } from '../../body.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedList, Empty, ListQuery, objectSchema, parameter } from '../shared/models.ts'
import { PodcastModel, PUBLIC_LIST_EXAMPLES, UPLOAD_EXAMPLES } from '../shared/podcast.ts'

/** JSON and plain text are UTF-8; XML declares its encoding. */
const readUpload: BodyReader<string> = (request, room, { name = '', format = splitSuffix(name).suffix }) =>
  format === 'opml' ? readAnyText(request, room) : readText(request, room)

const upload = {
  suffixes: ['json', 'txt', 'opml'],
  read: readUpload,
  body: t.String({ description: 'The list in the format of the suffix: json, txt or opml.' }),
  bodyFormats: UPLOAD_EXAMPLES,
} as const

const unreadable = errorResponse(
  'invalid_json',
  'The body cannot be read as the suffix says; nothing was changed.',
  'the body is not valid JSON',
)
const noList = errorResponse('not_found', 'There is no such list.', 'no such podcast list')
const tooMuch = errorResponse(
  'quota_exceeded',
  'The account would have more than 1,000 lists, or more than 20,000 feeds in all of them; nothing was changed.',
  'an account may have 1000 podcast lists; nothing was changed: remove some first',
)

export const listPodcastLists = endpoint('Podcast lists', 'listPodcastLists', 'List the lists of a user', {
  response: describedList('Oldest first; empty for a user who is unknown or not active.', {
    title: t.String(),
    name: t.String({ description: 'For paths.' }),
    web: t.String({ description: 'For people.' }),
  }),
  example: [{ title: 'Sea stuff', name: 'sea-stuff', web: 'https://pods.example/user/ida/lists/sea-stuff' }],
  errors: ['validation_failed'],
})

export const createPodcastList = endpoint('Podcast lists', 'createPodcastList', 'Create a list', {
  description:
    'Everybody can read it. Anything that is not a usable feed URL is skipped. Its name is made of the title: lower-case letters and digits.',
  query: objectSchema({ title: parameter('What the list is called; needed.', 'Sea stuff') }),
  ...upload,
  response: Empty,
  success: { status: 201, description: 'The list is there; `Location` is its path.' },
  errors: [
    unreadable,
    errorResponse(
      'list_exists',
      'There is a list of this name, or the account would have too many lists or feeds in them; nothing was changed.',
      'there is a list of this name; replace or remove that one',
      'title',
    ),
  ],
})

export const getPodcastList = endpoint('Podcast lists', 'getPodcastList', 'Get a list', {
  description:
    'For everybody. Podcasts that are private to others than the reader are left out; the user whose list it is sees their addresses.',
  query: ListQuery,
  suffixes: LIST_FORMATS,
  response: t.Array(PodcastModel, { description: 'The list, in the format of the suffix.' }),
  formats: PUBLIC_LIST_EXAMPLES,
  errors: ['validation_failed', noList],
})

export const replacePodcastList = endpoint('Podcast lists', 'replacePodcastList', 'Replace a list', {
  ...upload,
  response: Empty,
  success: { status: 204, description: 'The list has exactly these feeds, in this order.' },
  errors: [unreadable, noList, tooMuch],
})

export const deletePodcastList = endpoint('Podcast lists', 'deletePodcastList', 'Delete a list', {
  suffixes: LIST_FORMATS,
  response: Empty,
  success: { status: 204, description: 'The list is gone.' },
  errors: [noList],
})
