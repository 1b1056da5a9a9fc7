import { t } from 'elysia'
import { FEEDS_PER_REQUEST, FILED_PODCASTS_MAX, FOLDERS_MAX } from '../../../domain/shared/limits.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, integer, objectSchema } from '../shared/models.ts'

/** Folders of podcasts (docs/protocol.md#folders). */

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'

const Folder = objectSchema({
  id: integer({ description: 'Of this server, and never given again while the folder exists.' }),
  name: t.String(),
  podcasts: t.Array(t.String(), {
    description: 'Feed URLs that your devices are subscribed to; all of a podcast that has several addresses.',
  }),
})

const Folders = describedObject('Your folders by name.', { folders: t.Array(Folder) })
const example = { folders: [{ id: 1, name: 'On the way to work', podcasts: [HARBOUR] }] }

const Name = objectSchema({
  name: t.String({ description: '1 to 100 characters. Case and accents make no difference between folders.' }),
})
const bodyExample = { name: 'On the way to work' }

const badName = errorResponse(
  'validation_failed',
  'The name is too long, empty, or that of another folder.',
  'name must have 1 to 100 characters',
  'name',
)
const noFolder = errorResponse('not_found', 'You have no folder with this ID.', 'no such folder')
const Ids = (description: string) => t.Array(integer(), { maxItems: FOLDERS_MAX, description })

export const listFolders = endpoint('Folders', 'listFolders', 'List your folders', { response: Folders, example })

export const createFolder = endpoint('Folders', 'createFolder', 'Create a folder', {
  description: 'If there is a folder of this name, nothing changes.',
  body: Name,
  bodyExample,
  response: Folders,
  example,
  errors: [
    badName,
    errorResponse(
      'quota_exceeded',
      `There are ${FOLDERS_MAX} folders already.`,
      `an account may have ${FOLDERS_MAX} folders; nothing was changed: remove some first`,
    ),
  ],
})

export const renameFolder = endpoint('Folders', 'renameFolder', 'Rename a folder', {
  body: Name,
  bodyExample,
  response: Folders,
  example,
  errors: [badName, noFolder],
})

export const removeFolder = endpoint('Folders', 'removeFolder', 'Remove a folder', {
  description: 'The podcasts in it stay subscribed.',
  response: Folders,
  example: { folders: [] },
  errors: [noFolder],
})

export const assignFolders = endpoint('Folders', 'assignFolders', 'Put podcasts into folders, and take them out', {
  description: 'All of it or nothing. A podcast may be in several folders.',
  body: objectSchema({
    podcasts: t.Array(t.String(), { description: `Feed URLs, up to ${FEEDS_PER_REQUEST}.` }),
    add: t.Optional(Ids('IDs of the folders that they are put into.')),
    remove: t.Optional(Ids('IDs of the folders that they are taken out of.')),
  }),
  bodyExample: { podcasts: [HARBOUR], add: [1] },
  response: Folders,
  example,
  errors: [
    errorResponse(
      'validation_failed',
      'A URL is none, or a folder is in both lists.',
      'podcasts[0] must be a URL',
      'podcasts',
    ),
    noFolder,
    errorResponse(
      'quota_exceeded',
      `The folders would hold more than ${FILED_PODCASTS_MAX} podcasts in all.`,
      `an account may have ${FILED_PODCASTS_MAX} podcasts in folders; nothing was changed: remove some first`,
    ),
    errorResponse('unknown_podcast', 'You never had one of the podcasts.', `you never had the podcast ${HARBOUR}`),
  ],
})
