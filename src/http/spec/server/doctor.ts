import { t } from 'elysia'
import { CHECKS, FINDINGS, type FindingCode } from '../../../domain/server/doctor.ts'
import { adminEndpoint, endpoint } from '../../endpoint.ts'
import { describedList, describedObject, integer } from '../shared/models.ts'

const CODES = Object.keys(FINDINGS) as FindingCode[]

const Examination = describedObject('The results of the checks.', {
  ok: t.Boolean({ description: 'True if no check has the status `error`.' }),
  checks: describedList('In the order of execution.', {
    check: t.Union(CHECKS.map((name) => t.Literal(name))),
    status: t.Union(
      (['ok', 'error', 'warning', 'todo', 'optional', 'skipped'] as const).map((status) => t.Literal(status)),
      {
        description: '`error`, `warning` and `todo` (a step of the setup) are open; `optional` steps may be left out.',
      },
    ),
    code: t.Union(
      CODES.map((code) => t.Literal(code)),
      { description: 'Stable code of the finding. New ones may be added.' },
    ),
    values: t.Object(
      {},
      {
        additionalProperties: t.Union([t.String(), integer()]),
        description:
          'Details of the finding: `free`, `size` and `needed` in bytes, `at` in UTC, other numbers and texts as they are.',
      },
    ),
    cause: t.String({ description: 'Message from the system or another server, in English; empty if there is none.' }),
    command: t.String({
      description: 'Command to run on the server to fix it or to see more; empty if there is none.',
    }),
    ways: t.Array(
      describedList('Settings to change together.', {
        key: t.String({ description: 'Name in config.toml.' }),
        variable: t.String({ description: 'Name of the environment variable.' }),
        toml: t.String({ description: 'Value for config.toml, quoted: the correct one, or an example.' }),
        text: t.String({ description: 'Value for the environment variable.' }),
      }),
      { description: 'Settings that fix it: one list per alternative.' },
    ),
  }),
})

export const examineServer = adminEndpoint('examineServer', 'Check the server', {
  description:
    'Runs the checks of `podstep doctor` from the running server: settings, data folder, disk, database, backups, the public address and the proxy, certificates, clock, mail, single sign-on and the external directory; also whether other users have accounts. Changes nothing and sends no mail. Takes up to 45 seconds if other servers do not respond; concurrent requests share the results.',
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

export const getExamination = adminEndpoint('getExamination', 'Get the latest results of the checks', {
  description:
    'Returns the list without running the checks: settings, data folder, disk, backups and users are current; everything else is from the last `POST` (`not_checked` before the first one since the start).',
  response: Examination,
  example: examineServer.example,
})

export const getConnection = endpoint('Accounts', 'getConnection', 'Show how a request arrives', {
  description: `For \`podstep doctor\`, which requests it at the public address. An event \`connection\` comes immediately, and an event \`end\` half a second later: \
a proxy that delivers both together buffers responses, so open pages would not get live updates. The data of the first event identifies the server \
(\`instance\`, random at each start) and describes the request: the \`header\` of a proxy that it had, or null; whether the \
server trusts it from there (\`trusted\`); whether it contains the address of the client (\`has_address\`); the \`scheme\` according to a proxy, or null; and the \`host\`.`,
  response: t.String({ description: 'Server-sent events, for half a second.' }),
  formats: {
    'text/event-stream': {
      example:
        'event: connection\ndata: {"instance":"2f6c1e","header":"forwarded","trusted":true,"has_address":true,"scheme":"https","host":"pods.example"}\n\nevent: end\ndata: {}\n\n',
    },
  },
})
