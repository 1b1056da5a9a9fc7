import { t } from 'elysia'
import { LIST_FORMATS, PRIVATE_FORMATS } from '../../../formats/negotiate.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedList, integer, ListQuery, objectSchema, PrivateListQuery } from '../shared/models.ts'
import { listExamples, PODCAST_EXAMPLE, PodcastModel, privateListExamples } from '../shared/podcast.ts'

/** docs/protocol.md#directory. */
export const TagModel = objectSchema({
  title: t.String({ description: 'Display name.' }),
  tag: t.String({ description: 'Name in paths.' }),
  usage: integer({ description: 'Number of podcasts with this tag.' }),
})

const noNumber = errorResponse('not_found', 'The number in the path is invalid.', 'no such resource')

export const listToplist = endpoint('Directory', 'listToplist', 'List the podcasts with the most subscribers', {
  description: 'At most 100. Podcasts without subscribers and private podcasts are left out.',
  query: ListQuery,
  suffixes: LIST_FORMATS,
  response: describedList('Most subscribed first, then by title.', {
    ...PodcastModel.properties,
    position_last_week: integer({ description: 'Position a week ago, from 1; 0 if it was not in the list.' }),
  }),
  formats: listExamples([{ ...PODCAST_EXAMPLE, position_last_week: 1 }]),
  errors: ['validation_failed', noNumber],
})

export const listUsualToplist = {
  ...listToplist,
  id: 'listUsualToplist',
  summary: 'List the 50 podcasts with the most subscribers',
}

export const listTags = endpoint('Directory', 'listTags', 'List tags', {
  description: 'Categories named by feeds.',
  response: t.Array(TagModel, { description: 'Most used first.' }),
  example: [{ title: 'Sea & Coast', tag: 'sea-coast', usage: 12 }],
  errors: ['validation_failed', noNumber],
})

export const listPodcastsOfTag = endpoint('Directory', 'listPodcastsOfTag', 'List podcasts of a tag', {
  response: t.Array(PodcastModel, { description: 'Most subscribed first, then by title.' }),
  example: [PODCAST_EXAMPLE],
  errors: ['validation_failed', noNumber],
})

export const listSuggestions = endpoint('Directory', 'listSuggestions', 'List suggestions', {
  description: 'Podcasts with the most common tags among the user’s subscriptions.',
  query: PrivateListQuery,
  suffixes: PRIVATE_FORMATS,
  response: describedList('Best first, without podcasts that the user is subscribed to.', {
    ...PodcastModel.properties,
    because: t.Array(t.String(), { description: 'Tags for which it is suggested, most significant first.' }),
  }),
  formats: privateListExamples([{ ...PODCAST_EXAMPLE, because: ['Society & Culture'] }]),
  errors: [noNumber],
})
