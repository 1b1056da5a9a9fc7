import { t } from 'elysia'
import { FEEDS_PER_REQUEST, FILED_PODCASTS_MAX, FOLDERS_MAX } from '../../../domain/shared/limits.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, integer, objectSchema } from '../shared/models.ts'

/** Folders of podcasts (docs/protocol.md#folders). */

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'

const Folder = objectSchema({
  id: integer({ description: 'ID on this server, not reused while the folder exists.' }),
  name: t.String(),
  podcasts: t.Array(t.String(), {
    description: 'Feed URLs that your devices are subscribed to, with all addresses of a podcast that has several.',
  }),
})

const Folders = describedObject('Your folders, sorted by name.', { folders: t.Array(Folder) })
const example = { folders: [{ id: 1, name: 'On the way to work', podcasts: [HARBOUR] }] }

const Name = objectSchema({
  name: t.String({ description: '1 to 100 characters. Names that differ only in case or accents are equal.' }),
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
  description: 'Changes nothing if a folder with this name exists.',
  body: Name,
  bodyExample,
  response: Folders,
  example,
  errors: [
    badName,
    errorResponse(
      'quota_exceeded',
      `The account already has ${FOLDERS_MAX} folders.`,
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

export const assignFolders = endpoint('Folders', 'assignFolders', 'Add podcasts to folders, or remove them', {
  description: 'Applies all changes or none. A podcast may be in several folders.',
  body: objectSchema({
    podcasts: t.Array(t.String(), { description: `Feed URLs, up to ${FEEDS_PER_REQUEST}.` }),
    add: t.Optional(Ids('IDs of folders to add the podcasts to.')),
    remove: t.Optional(Ids('IDs of folders to remove the podcasts from.')),
  }),
  bodyExample: { podcasts: [HARBOUR], add: [1] },
  response: Folders,
  example,
  errors: [
    errorResponse(
      'validation_failed',
      'A URL is invalid, or a folder is in both lists.',
      'podcasts[0] must be a URL',
      'podcasts',
    ),
    noFolder,
    errorResponse(
      'quota_exceeded',
      `The folders would hold more than ${FILED_PODCASTS_MAX} podcasts in all.`,
      `an account may have ${FILED_PODCASTS_MAX} podcasts in folders; nothing was changed: remove some first`,
    ),
    errorResponse(
      'unknown_podcast',
      'At least one of the podcasts was never among your subscriptions.',
      `you never had the podcast ${HARBOUR}`,
    ),
  ],
})
