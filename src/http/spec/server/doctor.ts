import { t } from 'elysia'
import { CHECKS, FINDINGS, type FindingCode } from '../../../domain/server/doctor.ts'
import { adminEndpoint, endpoint } from '../../endpoint.ts'
import { describedList, describedObject, integer } from '../shared/models.ts'

const CODES = Object.keys(FINDINGS) as FindingCode[]

const Examination = describedObject('What was found.', {
  ok: t.Boolean({ description: 'Whether nothing is an error.' }),
  checks: describedList('In the order in which they are made.', {
    check: t.Union(CHECKS.map((name) => t.Literal(name))),
    status: t.Union(
      (['ok', 'error', 'warning', 'todo', 'optional', 'skipped'] as const).map((status) => t.Literal(status)),
      {
        description:
          '`error`, `warning` and `todo`, a step of setting up, are open; a server is complete without what is `optional`.',
      },
    ),
    code: t.Union(
      CODES.map((code) => t.Literal(code)),
      { description: 'A stable word for what was found. There may be new ones.' },
    ),
    values: t.Object(
      {},
      {
        additionalProperties: t.Union([t.String(), integer()]),
        description:
          'What belongs to that: `free`, `size` and `needed` in bytes, `at` in UTC, other numbers and texts as they are.',
      },
    ),
    cause: t.String({ description: 'What the system or another server said about it; English, empty without any.' }),
    command: t.String({ description: 'What to type on the server to mend it or to see more; empty without any.' }),
    ways: t.Array(
      describedList('Settings to change together.', {
        key: t.String({ description: 'Name in config.toml.' }),
        variable: t.String({ description: 'Name of the environment variable.' }),
        toml: t.String({ description: 'A value for config.toml, quoted: the right one, or an example.' }),
        text: t.String({ description: 'The same value for the environment.' }),
      }),
      { description: 'The settings that mend it, a list for each way to do so.' },
    ),
  }),
})

export const examineServer = adminEndpoint('examineServer', 'Check the server', {
  description:
    'What `podstep doctor` checks, seen from the running server: settings, data folder, disk, database, backups, the public address and the proxy, certificates, clock, mail, single sign-on and the external directory; also whether others have accounts. Changes nothing and sends no mail. Takes up to 45 seconds where others do not answer; who asks meanwhile gets the same results.',
  response: Examination,
  example: {
    ok: false,
    checks: [
      {
        check: 'base_url',
        status: 'error',
        code: 'base_url_redirects',
        values: { url: 'http://pods.example', target: 'https://pods.example' },
        cause: '',
        command: '',
        ways: [
          [
            {
              key: 'base_url',
              variable: 'SVC_BASE_URL',
              toml: '"https://pods.example"',
              text: 'https://pods.example',
            },
          ],
        ],
      },
      {
        check: 'disk_space',
        status: 'ok',
        code: 'space_ok',
        values: { free: 21_474_836_480, size: 18_874_368 },
        cause: '',
        command: '',
        ways: [],
      },
    ],
  },
})

export const getExamination = adminEndpoint('getExamination', 'Get what is known of the server', {
  description:
    'The same list without an examination: settings, data folder, disk, backups and users as they are, everything else as the last `POST` found it (`not_checked` before the first one since the start).',
  response: Examination,
  example: examineServer.example,
})

export const getConnection = endpoint('Accounts', 'getConnection', 'See how a request arrives', {
  description: `For \`podstep doctor\`, which asks the public address for it. An event \`connection\` comes at once, and an event \`end\` half a second later: \
a proxy that delivers both together keeps responses back, and open pages would not be told of changes. The data of the first one tells which server \
this is (\`instance\`, random at each start) and what this request said of the way it took: a \`header\` of proxies that it had, or null; whether the \
server believes it from there (\`trusted\`); whether the address of the client is told (\`has_address\`); the \`scheme\` as told by a proxy, or null; and the \`host\`.`,
  response: t.String({ description: 'Server-sent events, for half a second.' }),
  formats: {
    'text/event-stream': {
      example:
        'event: connection\ndata: {"instance":"2f6c1e","header":"forwarded","trusted":true,"has_address":true,"scheme":"https","host":"pods.example"}\n\nevent: end\ndata: {}\n\n',
    },
  },
})
