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
      'What it is read from: `archive`, `antennapod`, `gpodder`, `opml`, `nextcloud`; `database` until it is known which app made it, and `server` for one with the API of gpodder.net and for one whose kind is to be found out.',
  }),
  name: t.String({ description: 'The name of the file, or the account and the server.' }),
  state: t.Union(
    (['running', 'interrupted', 'done', 'failed', 'cancelled'] as const).map((state) => t.Literal(state)),
    {
      description:
        '`interrupted` is one that goes on where it was when the same is imported again. One of a file goes on by itself after a restart of the server.',
    },
  ),
  error: t.String({ description: 'Why it failed or was interrupted; empty otherwise.' }),
  started: t.String({ description: 'UTC, as all times.' }),
  ended: t.String({ description: 'Empty while it runs.' }),
  done: integer({ description: 'How far it is, in whatever the source counts: bytes, requests, rows.' }),
  total: t.Union([integer(), t.Null()], { description: 'Null if nobody knows.' }),
  counts: describedList('What came of everything that the source has.', {
    what: t.String({ description: `One of ${COUNTED_KINDS.join(', ')}.` }),
    imported: integer({ description: 'Came over.' }),
    present: integer({ description: 'Was in the account already.' }),
    skipped: integer({ description: 'Not imported; `skipped` says why.' }),
  }),
  skipped: describedList('What was not imported.', {
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
  name: parameter('Of a file that is the whole body.', 'podstep-ida-2025-03-02.json'),
  device: parameter(
    'The device for the podcasts of a list, which names none; a new one, `opml`, unless given.',
    'phone',
  ),
}

const importRunning = errorResponse(
  'import_running',
  'Something is being imported into the account already.',
  'an import into this account is running; wait until it is done, or cancel it',
)
const fileTooLarge = errorResponse(
  'payload_too_large',
  'The file has more than 1 GiB.',
  'the file is larger than 1024 MiB',
)

const noImport = errorResponse('not_found', 'The account has no such import.', 'no such import')

export const startImport = endpoint('Accounts', 'startImport', 'Import from a file or another server', {
  description:
    'Send a file as the part `file` of a form, or as the whole body with the type `application/octet-stream`, then with its name in the query: an archive of an account (`GET /api/2/me/export`), the database export of AntennaPod, the `Database` of gPodder, or OPML, also with the episodes of Overcast. At most 1 GiB. Or send JSON that names an account on another server: one with the API of gpodder.net, as podstep, or Nextcloud with GPodder Sync. The import runs in the background. What the account has stays as it is, so that the same import may be repeated. There is one import of an account at a time, and two of all accounts. Not with an app password.',
  query: objectSchema({
    ...FILE_QUERY,
    caption: parameter('The name of that device if it is new.', 'Kitchen radio'),
  }),
  read: readImportBody,
  body: objectSchema({
    from: t.Optional(
      t.String({
        description:
          'The address of another server, by https unless it says otherwise, with the sub-path that it may have. In a private network only what `import_allow_private` allows.',
      }),
    ),
    username: t.Optional(t.String({ description: 'The user name there.' })),
    password: t.Optional(
      t.String({ description: 'The password there. It is kept in memory while the import runs, and nowhere else.' }),
    ),
    kind: t.Optional(
      t.String({ description: 'What kind of server it is, `gpodder` or `nextcloud`; found out unless given.' }),
    ),
  }),
  bodyFormats: {
    'application/json': { example: { from: 'https://pods.example', username: 'ida', password: 'correct horse' } },
    'multipart/form-data': { example: 'the part file' },
    'application/octet-stream': { example: 'the file' },
  },
  success: { status: 202, description: 'The import has begun.' },
  response: describedObject('The import has begun.', { id: integer() }),
  example: { id: 4 },
  errors: [importRunning, 'outbound_off', fileTooLarge],
})

export const previewImport = endpoint('Accounts', 'previewImport', 'See what an import would do', {
  description: `A dry run: send a file as for \`POST /api/2/me/import\`. The answer says what the import would do with each podcast, by the same rules; nothing is changed. The first ${PREVIEW_MAX.toLocaleString('en')} podcasts are read. Not with an app password.`,
  query: objectSchema(FILE_QUERY),
  read: readImportBody,
  body: objectSchema({}),
  bodyFormats: {
    'multipart/form-data': { example: 'the part file' },
    'application/octet-stream': { example: 'the file' },
  },
  response: describedObject('What the import would do.', {
    source: t.String({ description: 'As in the import.' }),
    podcasts: describedList('In the order of the file.', {
      url: t.String({ description: 'As it would be stored; as it is in the file if it is `invalid`.' }),
      title: t.String({ description: 'Empty if the file has none.' }),
      state: t.Union(
        PREVIEW_STATES.map((state) => t.Literal(state)),
        {
          description:
            '`known` is on the device already; `duplicate` comes earlier in the file; `invalid` has no http or https address.',
        },
      ),
    }),
    counts: describedObject('How many there are of each state; of what is invalid some may not be in `podcasts`.', {
      new: integer(),
      known: integer(),
      duplicate: integer(),
      invalid: integer(),
    }),
    folders: t.Array(t.String(), { description: 'Names of the folders that podcasts of the file are in.' }),
    has_more: t.Boolean({ description: 'Whether the file has more podcasts than a preview reads.' }),
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
  description: 'The last twenty with their reports. Not with an app password.',
  response: describedList('Newest first.', IMPORT),
  example: [EXAMPLE],
})

export const getImport = endpoint('Accounts', 'getImport', 'Follow an import', {
  description: 'Its progress, what was imported, and what was left out and why. Not with an app password.',
  response: describedObject('The import.', IMPORT),
  example: EXAMPLE,
  errors: [noImport],
})

export const removeImport = endpoint('Accounts', 'removeImport', 'Cancel or forget an import', {
  description:
    'Cancels a running import; its report stays, and so does what was imported. Removes the report of one that has ended. Not with an app password.',
  ...done,
  errors: [noImport],
})
