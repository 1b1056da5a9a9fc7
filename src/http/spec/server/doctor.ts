import { t } from 'elysia'
import { CHECKS, FINDINGS, type FindingCode } from '../../../domain/server/doctor.ts'
import { adminEndpoint, endpoint } from '../../endpoint.ts'
import { describedList, describedObject, integer } from '../shared/models.ts'

const CODES = Object.keys(FINDINGS) as FindingCode[]

const Examination = describedObject('What was found.', {
  ok: t.Boolean({ description: 'Whether nothing is an error.' }),
  checks: describedList('In the order in which they are made.', {
    check: t.Union(CHECKS.map((name) => t.Literal(name))),
    status: t.Union([t.Literal('ok'), t.Literal('warning'), t.Literal('error'), t.Literal('skipped')]),
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
  }),
})

export const examineServer = adminEndpoint('examineServer', 'Check the server', {
  description:
    'What `podstep doctor` checks, seen from the running server: settings, data folder, disk, database, backups, the public address and the proxy, certificates, clock, mail, single sign-on and the external directory. Changes nothing and sends no mail. Takes up to 45 seconds where others do not answer; who asks meanwhile gets the same results.',
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
      },
      {
        check: 'disk_space',
        status: 'ok',
        code: 'space_ok',
        values: { free: 21_474_836_480, size: 18_874_368 },
        cause: '',
        command: '',
      },
    ],
  },
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
