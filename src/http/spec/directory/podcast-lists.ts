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
  'The body is not in the format of the suffix; nothing was changed.',
  'the body is not valid JSON',
)
const noList = errorResponse('not_found', 'There is no such list.', 'no such podcast list')
const tooMuch = errorResponse(
  'quota_exceeded',
  'The account would have more than 1,000 lists, or more than 20,000 feeds in all its lists; nothing was changed.',
  'an account may have 1000 podcast lists; nothing was changed: remove some first',
)

export const listPodcastLists = endpoint('Podcast lists', 'listPodcastLists', 'List the lists of a user', {
  response: describedList('Oldest first; empty if the user is unknown or not active.', {
    title: t.String(),
    name: t.String({ description: 'Name in paths.' }),
    web: t.String({ description: 'URL of the page for people.' }),
  }),
  example: [{ title: 'Sea stuff', name: 'sea-stuff', web: 'https://pods.example/user/ida/lists/sea-stuff' }],
  errors: ['validation_failed'],
})

export const createPodcastList = endpoint('Podcast lists', 'createPodcastList', 'Create a list', {
  description:
    'The list is public. Anything that is not a usable feed URL is skipped. The name is derived from the title: lower-case letters and digits.',
  query: objectSchema({ title: parameter('Title of the list; required.', 'Sea stuff') }),
  ...upload,
  response: Empty,
  success: { status: 201, description: 'The list has been created; `Location` is its path.' },
  errors: [
    unreadable,
    errorResponse(
      'list_exists',
      'A list with this name exists, or the account would have too many lists or feeds in lists; nothing was changed.',
      'a list with this name exists; replace or remove it',
      'title',
    ),
  ],
})

export const getPodcastList = endpoint('Podcast lists', 'getPodcastList', 'Get a list', {
  description:
    'Lists are public. Podcasts that are private to users other than the reader are left out; the owner of the list sees their addresses.',
  query: ListQuery,
  suffixes: LIST_FORMATS,
  response: t.Array(PodcastModel, { description: 'The list, in the format of the suffix.' }),
  formats: PUBLIC_LIST_EXAMPLES,
  errors: ['validation_failed', noList],
})

export const replacePodcastList = endpoint('Podcast lists', 'replacePodcastList', 'Replace a list', {
  ...upload,
  response: Empty,
  success: { status: 204, description: 'The list now contains exactly these feeds, in this order.' },
  errors: [unreadable, noList, tooMuch],
})

export const deletePodcastList = endpoint('Podcast lists', 'deletePodcastList', 'Delete a list', {
  suffixes: LIST_FORMATS,
  response: Empty,
  success: { status: 204, description: 'The list has been deleted.' },
  errors: [noList],
})
