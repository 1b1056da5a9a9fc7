import { describe, expect, test } from 'bun:test'
import { CONNECTION_PATH, type NetworkParts, networkChecks } from '../../src/doctor/network-checks.ts'
import { type Arrival, type CheckName, type CheckResult, runChecks } from '../../src/domain/server/doctor.ts'

/** 2025-03-02T10:00:00Z */
const NOW = 1_740_909_600
const DAY = 86_400
const HREF = 'https://home.example/pods'
const HOST = 'https://home.example'
const PODS = 'https://pods.example'
const OWN = 'a1b2'
const BASE_URL = { href: HREF, origin: 'https://home.example', path: '/pods' }
const NOTHING: NetworkParts['config'] = {
  ...{
    baseUrl: undefined,
    directory: 'podcastindex' as const,
    directoryKey: undefined,
    smtpHost: undefined,
    oidcIssuer: undefined,
  },
  ...{ outbound: 'on', tlsCert: undefined, listen: undefined },
}
const WITH_ADDRESS = { ...NOTHING, baseUrl: BASE_URL }

/** As a well-configured proxy sends it. */
const CONNECTION = {
  ...{ instance: OWN, header: 'x-forwarded-for', trusted: true, has_address: true, scheme: 'https' },
  host: 'home.example',
}

/** A response to `CONNECTION_PATH`. The clock advances between its two events unless they arrive together. */
function connection(changes: Partial<Record<keyof typeof CONNECTION, unknown>> = {}, headers = {}, together = false) {
  const data = JSON.stringify({ ...CONNECTION, ...changes })
  let isSent = false
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isSent) {
          now += together ? 0 : 500
          controller.close()
        } else controller.enqueue(new TextEncoder().encode(`event: connection\ndata: ${data}\n\n`))
        isSent = true
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, { headers: { 'content-type': 'text/event-stream', ...headers } })
}

let now = 0

async function resultsOf(parts: Partial<NetworkParts>) {
  const all: NetworkParts = {
    config: NOTHING,
    clock: { seconds: () => NOW, monotonic: () => now },
    askHere: async () => ({ instance: OWN, trouble: undefined }),
    askAddress: async () => connection(),
    ownCertificate: () => undefined,
    servedCertificate: async () => NOW + 30 * DAY,
    arrivals: [],
    ...{ databaseTime: () => undefined, mailer: undefined, provider: undefined, directory: undefined },
    ...parts,
  }
  const found = new Map<CheckName, CheckResult>()
  await runChecks(
    networkChecks(all),
    () => () => undefined,
    (result) => found.set(result.check, result),
  )
  return (name: CheckName) => found.get(name)
}

const down = () => Promise.reject(new Error('connection refused'))

test('without settings there is nothing to check', async () => {
  const result = await resultsOf({})
  const names = ['server', 'base_url', 'proxy', 'certificate', 'clock', 'mail', 'sign_on', 'directory'] as const
  expect(names.map((name) => result(name)?.code)).toEqual([
    ...(['server_ok', 'base_url_none', 'proxy_skipped', 'certificate_none', 'clock_ok'] as const),
    ...(['mail_none', 'sso_none', 'directory_none'] as const),
  ])
})

test.each<[string, NetworkParts['askHere'], Partial<CheckResult>]>([
  ['does not answer', down, { code: 'server_none', cause: 'connection refused' }],
  ['is another program', async () => ({ instance: undefined, trouble: undefined }), { code: 'server_taken' }],
  [
    'cannot write',
    async () => ({ instance: OWN, trouble: 'the disk is full' }),
    { code: 'server_not_ready', cause: 'the disk is full' },
  ],
])('a server that %s', async (_title, askHere, expected) => {
  expect((await resultsOf({ askHere }))('server')).toMatchObject(expected)
})

describe('base_url', () => {
  const config = WITH_ADDRESS

  test('is checked including its path, with one request for all checks', async () => {
    const asked: string[] = []
    const askAddress = async (url: string) => {
      asked.push(url)
      return connection()
    }
    const result = await resultsOf({ config, askAddress })
    expect(result('base_url')).toMatchObject({ code: 'base_url_ok', values: { url: HREF } })
    expect(result('proxy')?.code).toBe('proxy_ok')
    expect(asked).toEqual([`${HREF}${CONNECTION_PATH}`])
  })

  const redirect = (to: string) => async () => new Response(null, { status: 301, headers: { location: to } })

  const eventStream = { headers: { 'content-type': 'text/event-stream' } }
  const at = (values: CheckResult['values']) => ({ values: { url: HREF, ...values } })

  test.each<[string, () => Promise<Response> | Response, CheckResult['code'], Partial<CheckResult>?]>([
    ['cannot be reached', down, 'base_url_unreachable', { cause: 'connection refused' }],
    ['redirects to https', redirect(`${PODS}${CONNECTION_PATH}`), 'base_url_redirects', at({ target: PODS })],
    ['redirects on its host', redirect('/login?next=1'), 'base_url_redirects', at({ target: `${HOST}/login?next=1` })],
    ['ends at the proxy', () => new Response('', { status: 502 }), 'base_url_wrong', at({ status: 502 })],
    ['leads to another program', () => new Response('<h1>It works!'), 'base_url_wrong'],
    ['leads to another stream', () => new Response('data: hello\n\n', eventStream), 'base_url_wrong'],
    ['leads to another podstep', () => connection({ instance: 'c3d4' }), 'base_url_elsewhere'],
  ])('%s', async (_title, answer, code, details = {}) => {
    const result = await resultsOf({ config, askAddress: async () => answer() })
    expect(result('base_url')).toMatchObject({ status: 'error', code, ...details })
    expect(result('proxy')?.code).toBe('base_url_skipped')
  })

  test('is not checked without a server here', async () => {
    const result = await resultsOf({ config, askHere: down })
    expect([result('base_url')?.code, result('proxy')?.code]).toEqual(['server_skipped', 'server_skipped'])
  })

  test.each([
    [59, 'clock_ok'],
    [-61, 'clock_differs'],
    [61, 'clock_differs'],
  ] as const)('differs by %i seconds from the local clock', async (seconds, code) => {
    const headers = { date: new Date((NOW + seconds) * 1000).toUTCString() }
    expect((await resultsOf({ config, askAddress: async () => connection({}, headers) }))('clock')?.code).toBe(code)
  })
})

describe('the proxy', () => {
  const config = WITH_ADDRESS
  const NO_HEADER = { header: null, trusted: false, has_address: false, scheme: null }

  test.each<[string, Parameters<typeof connection>[0], CheckResult['code'], CheckResult['values']?]>([
    ['is not trusted', { trusted: false }, 'proxy_not_believed', { header: 'x-forwarded-for' }],
    ['sends no header', NO_HEADER, 'proxy_no_address'],
    ['does not send the address of the client', { has_address: false }, 'proxy_no_address'],
    ['does not send the scheme', { scheme: null }, 'proxy_no_scheme'],
    ['sends another scheme', { scheme: 'http' }, 'proxy_scheme', { scheme: 'http' }],
    ['changes the host', { host: '10.0.0.1:8080' }, 'proxy_host', { host: '10.0.0.1:8080', expected: 'home.example' }],
  ])('%s', async (_title, changes, code, values) => {
    const result = await resultsOf({ config, askAddress: async () => connection(changes) })
    expect(result('proxy')).toMatchObject({ code, ...(values && { values }) })
  })

  test('buffers responses', async () => {
    const result = await resultsOf({ config, askAddress: async () => connection({}, {}, true) })
    expect(result('proxy')?.code).toBe('proxy_buffers')
  })

  test('may send the host without its port, as the configuration for nginx does', async () => {
    const origin = 'https://home.example:8443'
    const result = await resultsOf({ config: { ...config, baseUrl: { ...BASE_URL, href: origin, origin } } })
    expect(result('proxy')?.code).toBe('proxy_ok')
  })

  test('is not expected if the server has TLS itself', async () => {
    const askAddress = async () => connection(NO_HEADER)
    const result = await resultsOf({ config: { ...config, tlsCert: 'cert.pem' }, askAddress })
    expect(result('proxy')?.code).toBe('proxy_none')
  })

  const ARRIVAL: Arrival = {
    ...{ peer: '172.18.0.2', isTrusted: true, header: 'x-forwarded-for', hasAddress: true, scheme: 'https' },
    host: 'home.example',
  }

  test.each<[string, Arrival, CheckResult['code']]>([
    ['trusted', ARRIVAL, 'proxy_ok'],
    ['not trusted', { ...ARRIVAL, isTrusted: false }, 'proxy_peer_not_believed'],
    ['without any header, since it may have bypassed the proxy', { ...ARRIVAL, header: undefined }, 'base_url_skipped'],
  ])('as an earlier request has shown it: %s', async (_title, arrival, code) => {
    const result = await resultsOf({ config, askAddress: down, arrivals: [arrival] })
    expect(result('proxy')?.code).toBe(code)
    if (code === 'proxy_peer_not_believed') expect(result('proxy')?.values['peer']).toBe('172.18.0.2')
  })

  test('that is not trusted is reported with its address if a request has shown that', async () => {
    const askAddress = async () => connection({ trusted: false })
    const result = await resultsOf({ config, askAddress, arrivals: [{ ...ARRIVAL, isTrusted: false }] })
    expect(result('proxy')?.code).toBe('proxy_peer_not_believed')
  })
})

describe('the certificate', () => {
  test.each([
    [30, 'certificate_ok'],
    [14, 'certificate_ok'],
    [13, 'certificate_soon'],
    [0, 'certificate_soon'],
    [-1, 'certificate_expired'],
  ] as const)('of base_url is valid for %i days', async (days, code) => {
    const asked: unknown[] = []
    const servedCertificate = async (host: string, port: number) => {
      asked.push([host, port])
      return NOW + days * DAY
    }
    const result = await resultsOf({ config: WITH_ADDRESS, servedCertificate })
    expect(result('certificate')).toMatchObject({ code, values: { at: NOW + days * DAY } })
    expect(asked).toEqual([['home.example', 443]])
  })

  test('that expires first counts, and one that cannot be read does not', async () => {
    const ownCertificate = () => NOW + 2 * DAY
    const both = await resultsOf({ config: WITH_ADDRESS, ownCertificate })
    expect(both('certificate')).toMatchObject({ code: 'certificate_soon', values: { days: 2 } })
    const one = await resultsOf({ config: WITH_ADDRESS, ownCertificate, servedCertificate: down })
    expect(one('certificate')?.code).toBe('certificate_soon')
    const none = await resultsOf({ config: WITH_ADDRESS, servedCertificate: down })
    expect(none('certificate')?.code).toBe('certificate_unseen')
  })

  test('is unusable if its files are', async () => {
    const ownCertificate = () => {
      throw new Error('no such file')
    }
    expect((await resultsOf({ ownCertificate }))('certificate')).toMatchObject({
      ...{ code: 'certificate_unusable', cause: 'no such file' },
    })
  })
})

test('a clock that is behind the database', async () => {
  expect((await resultsOf({ databaseTime: () => NOW + 60 }))('clock')?.code).toBe('clock_ok')
  expect((await resultsOf({ databaseTime: () => NOW + 3600 }))('clock')).toMatchObject({
    ...{ code: 'clock_behind', values: { at: NOW, seconds: 3600 } },
  })
})

test.each<[CheckName, CheckResult['code'], (answer: () => Promise<void>) => Partial<NetworkParts>]>([
  ['mail', 'mail_failed', (answer) => ({ mailer: { verify: answer } })],
  ['sign_on', 'sso_failed', (answer) => ({ provider: { test: answer } })],
  ['directory', 'directory_failed', (answer) => ({ directory: { trending: () => answer().then(() => []) } })],
])('%s is checked, and reports its error', async (name, code, parts) => {
  expect((await resultsOf(parts(() => Promise.resolve())))(name)?.status).toBe('ok')
  expect((await resultsOf(parts(down)))(name)).toMatchObject({ code, cause: 'connection refused' })
})

test('an incomplete configuration is reported', async () => {
  const result = await resultsOf({ config: { ...NOTHING, smtpHost: 'mail.example', outbound: 'off' } })
  expect([result('mail')?.code, result('directory')?.code]).toEqual(['mail_partly', 'directory_none'])
})

test('a mail server that refused the last email is a warning until one is sent', async () => {
  const mailer = { verify: () => Promise.resolve() }
  let cause: string | undefined = '550 no such user'
  const running = { mailTrouble: () => cause }
  expect((await resultsOf({ mailer, running }))('mail')).toMatchObject({
    code: 'mail_unsent',
    status: 'warning',
    cause,
  })
  cause = undefined
  expect((await resultsOf({ mailer, running }))('mail')).toMatchObject({ code: 'mail_ok' })
})
