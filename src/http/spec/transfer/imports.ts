import { t } from 'elysia'
import { PREVIEW_MAX, PREVIEW_STATES } from '../../../domain/transfer/preview.ts'
import { COUNTED_KINDS } from '../../../domain/transfer/records.ts'
import { endpoint } from '../../endpoint.ts'
import { readImportBody } from '../../upload/import-body.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedList, describedObject, done, integer, objectSchema, parameter } from '../shared/models.ts'

const IMPORT = {
  id: integer(),
  source: t.String({
    description:
      'Kind of source: `archive`, `antennapod`, `gpodder`, `opml`, `nextcloud`; `database` until the app that wrote it is detected, and `server` for one with the gpodder.net API or of a kind not detected yet.',
  }),
  name: t.String({ description: 'Name of the file, or the account and the server.' }),
  state: t.Union(
    (['running', 'interrupted', 'done', 'failed', 'cancelled'] as const).map((state) => t.Literal(state)),
    {
      description:
        '`interrupted`: importing the same source again resumes it. Imports from files resume automatically when the server restarts.',
    },
  ),
  error: t.String({ description: 'Why it failed or was interrupted; otherwise empty.' }),
  started: t.String({ description: 'UTC, like all times.' }),
  ended: t.String({ description: 'Empty while it runs.' }),
  done: integer({ description: 'Progress in units of the source: bytes, requests or rows.' }),
  total: t.Union([integer(), t.Null()], { description: 'Null if unknown.' }),
  counts: describedList('Result for each kind of data in the source.', {
    what: t.String({ description: `One of ${COUNTED_KINDS.join(', ')}.` }),
    imported: integer({ description: 'Number of items imported.' }),
    present: integer({ description: 'Number of items that were already in the account.' }),
    skipped: integer({ description: 'Number of items not imported; `skipped` says why.' }),
  }),
  skipped: describedList('Items that were not imported.', {
    what: t.String(),
    reason: t.String(),
    count: integer(),
    examples: t.Array(t.String(), { description: 'Up to five.' }),
  }),
} as const

const EXAMPLE = {
  id: 4,
  source: 'archive',
  name: 'podstep-ida-2025-03-02.json',
  state: 'done',
  error: '',
  started: '2025-03-02T10:00:00',
  ended: '2025-03-02T10:00:09',
  done: 5_242_880,
  total: 5_242_880,
  counts: [
    { what: 'devices', imported: 2, present: 1, skipped: 0 },
    { what: 'subscriptions', imported: 84, present: 3, skipped: 1 },
    { what: 'episode_actions', imported: 20_144, present: 0, skipped: 0 },
  ],
  skipped: [
    { what: 'subscriptions', reason: 'not an http or https address', count: 1, examples: ['file:///home/ida/x.xml'] },
  ],
} as const

const FILE_QUERY = {
  name: parameter('Name of the file, if it is the whole body.', 'podstep-ida-2025-03-02.json'),
  device: parameter('Device for the podcasts of a list, since lists name none; by default a new one, `opml`.', 'phone'),
}

const importRunning = errorResponse(
  'import_running',
  'An import into this account is already running.',
  'an import into this account is running; wait until it is done, or cancel it',
)
const fileTooLarge = errorResponse(
  'payload_too_large',
  'The file is larger than 1 GiB.',
  'the file is larger than 1024 MiB',
)

const noImport = errorResponse('not_found', 'The account has no such import.', 'no such import')

export const startImport = endpoint('Accounts', 'startImport', 'Import from a file or another server', {
  description:
    'Send a file as the part `file` of a form, or as the whole body with the type `application/octet-stream` and its name in the query: an archive of an account (`GET /api/2/me/export`), the database export of AntennaPod, the `Database` of gPodder, or OPML, including the episodes of Overcast. At most 1 GiB. Or send JSON that names an account on another server: one with the gpodder.net API, such as podstep, or Nextcloud with GPodder Sync. The import runs in the background. Existing data stays, so an import can be repeated. At most one import per account and two on the server run at a time. App passwords are not accepted.',
  query: objectSchema({
    ...FILE_QUERY,
    caption: parameter('Name of that device if it is new.', 'Kitchen radio'),
  }),
  read: readImportBody,
  body: objectSchema({
    from: t.Optional(
      t.String({
        description:
          'Address of another server, with its sub-path if any; https by default. In a private network, only addresses that `import_allow_private` allows.',
      }),
    ),
    username: t.Optional(t.String({ description: 'User name on that server.' })),
    password: t.Optional(
      t.String({ description: 'Password on that server. It is kept only in memory, while the import runs.' }),
    ),
    kind: t.Optional(t.String({ description: 'Kind of server, `gpodder` or `nextcloud`; detected by default.' })),
  }),
  bodyFormats: {
    'application/json': { example: { from: 'https://pods.example', username: 'ida', password: 'correct horse' } },
    'multipart/form-data': { example: 'the part file' },
    'application/octet-stream': { example: 'the file' },
  },
  success: { status: 202, description: 'The import has started.' },
  response: describedObject('The import has started.', { id: integer() }),
  example: { id: 4 },
  errors: [importRunning, 'outbound_off', fileTooLarge],
})

export const previewImport = endpoint('Accounts', 'previewImport', 'Preview an import', {
  description: `A dry run: send a file as for \`POST /api/2/me/import\`. The response shows what the import would do with each podcast, by the same rules; nothing is changed. Reads the first ${PREVIEW_MAX.toLocaleString('en')} podcasts. App passwords are not accepted.`,
  query: objectSchema(FILE_QUERY),
  read: readImportBody,
  body: objectSchema({}),
  bodyFormats: {
    'multipart/form-data': { example: 'the part file' },
    'application/octet-stream': { example: 'the file' },
  },
  response: describedObject('The expected result of the import.', {
    source: t.String({ description: 'Kind of source, as in the import.' }),
    podcasts: describedList('In the order of the file.', {
      url: t.String({ description: 'URL as it would be stored; for `invalid`, as in the file.' }),
      title: t.String({ description: 'Empty if the file has none.' }),
      state: t.Union(
        PREVIEW_STATES.map((state) => t.Literal(state)),
        {
          description:
            '`known`: already on the device; `duplicate`: earlier in the file; `invalid`: without an http or https address.',
        },
      ),
    }),
    counts: describedObject('Number of podcasts in each state; some invalid ones may be missing in `podcasts`.', {
      new: integer(),
      known: integer(),
      duplicate: integer(),
      invalid: integer(),
    }),
    folders: t.Array(t.String(), { description: 'Names of the folders of these podcasts.' }),
    has_more: t.Boolean({ description: 'Whether the file contains more podcasts than a preview reads.' }),
    damaged: t.Boolean({ description: 'Whether podcasts may be missing because the file is damaged.' }),
  }),
  example: {
    source: 'opml',
    podcasts: [
      { url: 'https://feeds.example/harbour.xml', title: 'Harbour Talk', state: 'new' },
      { url: 'ftp://feeds.example/tide.xml', title: 'Tide', state: 'invalid' },
    ],
    counts: { new: 1, known: 0, duplicate: 0, invalid: 1 },
    folders: ['On the way to work'],
    has_more: false,
    damaged: false,
  },
  errors: [importRunning, fileTooLarge],
})

export const listImports = endpoint('Accounts', 'listImports', 'List your imports', {
  description: 'The last twenty imports with their reports. App passwords are not accepted.',
  response: describedList('Newest first.', IMPORT),
  example: [EXAMPLE],
})

export const getImport = endpoint('Accounts', 'getImport', 'Get an import', {
  description: 'Progress, imported data, and skipped data with the reasons. App passwords are not accepted.',
  response: describedObject('The import.', IMPORT),
  example: EXAMPLE,
  errors: [noImport],
})

export const removeImport = endpoint('Accounts', 'removeImport', 'Cancel an import or delete its report', {
  description:
    'Cancels a running import; its report and the data imported so far are kept. Deletes the report of an import that has ended. App passwords are not accepted.',
  ...done,
  errors: [noImport],
})
