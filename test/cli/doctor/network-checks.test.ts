import { describe, expect, test } from 'bun:test'
import { type CheckResult, runChecks } from '../../../src/cli/doctor/checks.ts'
import { type NetworkParts, networkChecks } from '../../../src/cli/doctor/network-checks.ts'

/** 2025-03-02T10:00:00Z */
const NOW = 1_740_909_600
const HREF = 'https://home.example/pods'
const INFO = { version: '1.2.3', registration: 'closed', first_run: false, mail: false, outbound: true, sso: null }
const BASE_URL = { href: HREF, origin: 'https://home.example', path: '/pods' }
const NOTHING = {
  baseUrl: undefined,
  outbound: 'on',
  directoryKey: undefined,
  smtpHost: undefined,
  oidcIssuer: undefined,
} as const

async function resultsOf(parts: Partial<NetworkParts>) {
  const found = new Map<string, CheckResult>()
  const all: NetworkParts = {
    config: NOTHING,
    clock: { seconds: () => NOW, monotonic: () => 0 },
    askHere: async (path) =>
      path === '/readyz' ? Response.json({}) : Response.json({ ...INFO, base_url: 'http://localhost' }),
    askAddress: async () => Response.json({ ...INFO, base_url: HREF }),
    ...{ databaseTime: () => undefined, mailer: undefined, provider: undefined, directory: undefined },
    ...parts,
  }
  await runChecks(networkChecks(all), (result) => found.set(result.check, result))
  return (name: string) => found.get(name)
}

const down = () => Promise.reject(new Error('connection refused'))

test('without settings there is nothing to ask', async () => {
  const result = await resultsOf({})
  const all = ['server', 'base_url', 'clock', 'mail', 'sign-on', 'directory'].map((name) => result(name)?.status)
  expect(all).toEqual(['ok', 'skipped', 'ok', 'skipped', 'skipped', 'skipped'])
})

test.each<[string, NetworkParts['askHere'], string, string]>([
  ['does not answer', down, 'warning', 'no server answers on this machine: connection refused'],
  [
    'is another program',
    async () => new Response('<h1>It works!'),
    'error',
    'something else answers at the address of the settings',
  ],
  [
    'cannot write',
    async (path) => (path === '/readyz' ? new Response('the disk is full', { status: 503 }) : Response.json(INFO)),
    'error',
    'running, but the disk is full',
  ],
])('a server that %s', async (_title, askHere, status, observed) => {
  expect((await resultsOf({ askHere }))('server')).toMatchObject({ status, observed })
})

describe('base_url', () => {
  const config = { ...NOTHING, baseUrl: BASE_URL }

  test('leads here, with the path that it has', async () => {
    const asked: string[] = []
    const askAddress = async (url: string) => {
      asked.push(url)
      return Response.json({ ...INFO, base_url: HREF })
    }
    const result = await resultsOf({ config, askAddress })
    expect(result('base_url')).toMatchObject({ status: 'ok', observed: `${HREF} leads here without a redirect` })
    expect(asked).toEqual([`${HREF}/api/2/server`])
  })

  test.each<[string, () => Promise<Response>, string]>([
    ['cannot be reached', down, `${HREF} cannot be reached from here: connection refused`],
    ['redirects', async () => Response.redirect('https://pods.example/'), `${HREF} redirects to https://pods.example/`],
    ['redirects to no place', async () => new Response(null, { status: 301 }), `${HREF} redirects to nowhere`],
    [
      'ends at the proxy',
      async () => new Response('bad gateway', { status: 502 }),
      `${HREF} answers 502, but not as podstep does`,
    ],
    [
      'leads to another program',
      async () => Response.json({ version: 7 }),
      `${HREF} answers 200, but not as podstep does`,
    ],
    [
      'leads to another podstep',
      async () => Response.json({ ...INFO, version: '1.0.0' }),
      `another podstep server answers at ${HREF}`,
    ],
  ])('%s', async (_title, askAddress, observed) => {
    expect((await resultsOf({ config, askAddress }))('base_url')).toMatchObject({ status: 'error', observed })
  })

  test('is not asked without a server here', async () => {
    const result = await resultsOf({ config, askHere: down })
    expect(result('base_url')).toMatchObject({ status: 'skipped' })
  })

  test.each([
    [59, 'ok'],
    [-61, 'warning'],
    [61, 'warning'],
  ])('%i seconds from the clock here', async (seconds, status) => {
    const headers = { date: new Date((NOW + seconds) * 1000).toUTCString() }
    const result = await resultsOf({ config, askAddress: async () => Response.json(INFO, { headers }) })
    expect(result('clock')?.status).toBe(status as CheckResult['status'])
  })
})

test('a clock that was set back behind the database', async () => {
  expect((await resultsOf({ databaseTime: () => NOW + 60 }))('clock')?.status).toBe('ok')
  expect((await resultsOf({ databaseTime: () => NOW + 3600 }))('clock')).toMatchObject({
    status: 'error',
    observed: '2025-03-02T10:00:00.000Z, but the database was written 3600 seconds later',
  })
})

test.each([
  ['mail', (answer: () => Promise<void>): Partial<NetworkParts> => ({ mailer: { verify: answer } })],
  ['sign-on', (answer: () => Promise<void>): Partial<NetworkParts> => ({ provider: { test: answer } })],
  [
    'directory',
    (answer: () => Promise<void>): Partial<NetworkParts> => ({
      directory: { trending: () => answer().then(() => []) },
    }),
  ],
])('%s is asked, and says itself what is wrong', async (name, parts) => {
  expect((await resultsOf(parts(() => Promise.resolve())))(name)?.status).toBe('ok')
  expect((await resultsOf(parts(down)))(name)).toMatchObject({ status: 'error', observed: 'connection refused' })
})

test('what is set up in part says what is missing', async () => {
  const result = await resultsOf({ config: { ...NOTHING, smtpHost: 'mail.example', outbound: 'off' } })
  expect(result('mail')?.observed).toBe('smtp_from or base_url is not set')
  expect(result('directory')?.observed).toBe('directory_key is not set')
})
