import { describe, expect, test } from 'bun:test'
import { FetchFailure, type FetchFailureReason } from '../../../src/outbound/fetch-failure.ts'
import { type Handler, ORIGIN, ofKind, readAll, standIn, table } from './stand-in.ts'

const DEVICES = '/api/2/devices/ida.json'
const ACTIONS = '/api/2/episodes/ida.json'
const SUBSCRIPTIONS = '/index.php/apps/gpoddersync/subscriptions'

/** A server whose account is empty. */
const EMPTY = { [DEVICES]: [], [ACTIONS]: { actions: [], timestamp: 7 } }

const to = (location: string, status = 302) => new Response(null, { status, headers: { location } })
const failed = (reason: FetchFailureReason, message = 'pods.example cannot be reached') =>
  new FetchFailure(reason, message)

/** The error that ends an import. */
async function errorOf(handler: Handler, options: { resumeFrom?: string } = {}) {
  const other = standIn(handler)
  const { error } = await readAll(other.source(), options)
  return { ...other, error }
}

describe('the address of the server', () => {
  test.each([
    ['pods.example', 'https://pods.example'],
    [' https://Pods.example/ ', 'https://pods.example'],
    ['http://10.0.0.5:8080/pods//', 'http://10.0.0.5:8080/pods'],
    ['https://pods.example/sub/api/2/devices/ida.json', 'https://pods.example/sub'],
    ['https://cloud.example/index.php/apps/gpoddersync', 'https://cloud.example'],
    ['https://cloud.example/nc/apps/dashboard/?x=1#y', 'https://cloud.example/nc'],
    ['cloud.example/nc/index.php/login', 'https://cloud.example/nc'],
  ])('%p means %s', async (from, base) => {
    const other = standIn(table(EMPTY))
    const source = other.source({ from })
    expect(source.name).toBe(`${base} (ida)`)
    await readAll(source)
    expect(other.requests[0]?.url).toBe(`${base}${DEVICES}`)
  })

  test.each([
    ['another scheme', 'from', { from: 'ftp://pods.example' }],
    ['no host', 'from', { from: 'https://' }],
    ['a password in the address', 'from', { from: 'https://ida:seaglass@pods.example' }],
    ['an excessive length', 'from', { from: `https://pods.example/${'x'.repeat(3000)}` }],
    ['a colon in the user name', 'username', { username: 'ida:x' }],
    ['an unknown kind', 'kind', { kind: 'fritzbox' }],
  ])('is refused with %s', (_name, field, request) => {
    expect(() => standIn(table({})).source(request)).toThrow(
      expect.objectContaining({ code: 'validation_failed', field }),
    )
  })
})

describe('a request', () => {
  test('has credentials, and special characters of the user name encoded', async () => {
    const other = standIn(() => Response.json([]))
    await readAll(other.source({ username: ' ida/../ö?#% ', password: 'sea:gläss', kind: 'gpodder' }))
    expect(other.asked[0]).toBe('/api/2/devices/ida%2F..%2F%C3%B6%3F%23%25.json')
    const sent = other.requests[0]?.headers.get('authorization') ?? ''
    expect(Buffer.from(sent.replace('Basic ', ''), 'base64').toString()).toBe('ida/../ö?#%:sea:gläss')
  })

  test('follows redirects within the same origin, with credentials', async () => {
    const other = standIn(table({ ...EMPTY, [DEVICES]: to('/moved'), '/moved': to('/there', 308), '/there': [] }))
    expect((await readAll(other.source())).error).toBeUndefined()
    expect(other.asked.slice(0, 3)).toEqual([DEVICES, '/moved', '/there'])
    expect(other.requests[2]?.headers.get('authorization')).toStartWith('Basic ')
  })

  test.each([
    [`https://new.example/sub${DEVICES}`, 'use https://new.example/sub if that is the same server'],
    [`http://pods.example${DEVICES}`, 'use http://pods.example if'],
    ['https://evil.example/?password=', 'use https://evil.example if'],
  ])('does not follow a redirect to %s', async (location, advice) => {
    const { error, requests } = await errorOf(table({ [DEVICES]: to(location, 301) }))
    const message = `pods.example sends us to another address, where the password must not go; ${advice}`
    expect(error).toMatchObject({ code: 'validation_failed', message: expect.stringContaining(message) })
    expect(requests.every(({ url }) => url.startsWith(ORIGIN))).toBe(true)
  })

  test('does not follow circular redirects', async () => {
    const { error, asked } = await errorOf(table({ [DEVICES]: to(DEVICES), [SUBSCRIPTIONS]: to('/x'), '/x': to('/x') }))
    expect(error).toMatchObject({ message: expect.stringContaining('sends us in circles') })
    expect(asked).toHaveLength(12)
  })
})

describe('the kind of server', () => {
  test('is detected with one or two requests', async () => {
    const gpodder = standIn(table(EMPTY))
    await readAll(gpodder.source())
    expect(gpodder.asked.slice(0, 2)).toEqual([DEVICES, DEVICES])
    const nextcloud = standIn(table({ [SUBSCRIPTIONS]: { add: [], remove: [], timestamp: 7 } }))
    await readAll(nextcloud.source())
    const changes = ['2147483647', '0'].map((since) => `${SUBSCRIPTIONS}?since=${since}`)
    expect(nextcloud.asked.slice(0, 3)).toEqual([DEVICES, ...changes])
  })

  const NEITHER: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] = [
    ['knows neither', {}, /^there is neither .* at https:\/\/pods.example \(.*answers 404\) nor .* \(.*answers 404\)$/],
    ['answers HTML', { [DEVICES]: '<!doctype html> <p>Hi', [SUBSCRIPTIONS]: '<html></html>' }, /web page.*web page/],
    ['answers objects', { [DEVICES]: { a: 1 }, [SUBSCRIPTIONS]: { error: 'no' } }, /than a list.*than a list/],
    ['answers nothing', { [DEVICES]: '', [SUBSCRIPTIONS]: '' }, /ends after 0 bytes/],
    ['answers no JSON', { [DEVICES]: '[}', [SUBSCRIPTIONS]: '{]' }, /is damaged.*is damaged/],
    ['forbids', { [DEVICES]: new Response('', { status: 403 }) }, /does not let this user in/],
    ['is broken', { [DEVICES]: new Response('', { status: 500 }) }, /answers 500/],
  ]
  test.each(NEITHER)('is unknown if it %s', async (_name, routes, message) => {
    const { error, pauses } = await errorOf(table(routes))
    expect(error).toMatchObject({ code: 'validation_failed', message: expect.stringMatching(message) })
    expect(pauses).toEqual([])
  })

  test.each([
    ['gpodder', { [DEVICES]: new Response('', { status: 401 }) }, 1],
    ['nextcloud', { [SUBSCRIPTIONS]: new Response('', { status: 401 }) }, 2],
  ])('is not needed to detect a wrong password: %s', async (_name, routes, requests) => {
    const { error, asked } = await errorOf(table(routes))
    const message = expect.stringMatching(/^pods.example does not accept the user name or the password/)
    expect(error).toMatchObject({ message })
    expect(asked).toHaveLength(requests)
  })

  test('may be wrong', async () => {
    const { error } = await readAll(standIn(table(EMPTY)).source({ kind: 'nextcloud' }))
    expect(error).toMatchObject({ code: 'validation_failed', message: 'pods.example has no GPodder Sync (404)' })
  })
})

describe('an unavailable server', () => {
  test.each(['forbidden', 'unreachable'] as const)('fails a new import if it is %s', async (reason) => {
    const { error, pauses } = await errorOf(() => failed(reason, `because of ${reason}`))
    expect(error).toMatchObject({ code: 'validation_failed', message: `because of ${reason}` })
    expect(pauses).toEqual([])
  })

  /** A server that fails this often before it sends the actions. */
  function failing(times: number, failure: () => Response | FetchFailure) {
    let left = times
    return table({ ...EMPTY, [ACTIONS]: () => (left-- > 0 ? failure() : Response.json(EMPTY[ACTIONS])) })
  }

  test.each<[string, () => Response | FetchFailure]>([
    ['unreachable', () => failed('unreachable')],
    ['slow', () => failed('timeout', 'pods.example takes too long')],
    ['busy', () => new Response('', { status: 503 })],
  ])('is retried later in the import, and then interrupts it: %s', async (_name, failure) => {
    const other = standIn(failing(4, failure))
    expect((await readAll(other.source())).error).toBeUndefined()
    expect(other.pauses).toEqual([5, 20, 60, 120])
    const { error } = await errorOf(failing(5, failure))
    const message = expect.stringMatching(/; start the same import again later to resume it$/)
    expect(error).toMatchObject({ code: 'unavailable', message })
  })

  test.each([
    ['7', [7]],
    ['Sun, 02 Mar 2025 10:00:30 GMT', [30]],
    ['Sun, 02 Mar 2025 09:00:00 GMT', [0]],
    ['soon', [5]],
  ])('is retried after its Retry-After: %s', async (retryAfter, pauses) => {
    const busy = () => new Response('', { status: 429, headers: { 'retry-after': retryAfter } })
    const other = standIn(failing(1, busy))
    expect((await readAll(other.source())).error).toBeUndefined()
    expect(other.pauses).toEqual(pauses)
  })

  test('interrupts the import if its Retry-After is more than an hour', async () => {
    const busy = () => new Response('', { status: 429, headers: { 'retry-after': '3601' } })
    const { error } = await errorOf(failing(1, busy))
    const message = expect.stringMatching(/^pods.example asks to be left alone for 61 minutes;/)
    expect(error).toMatchObject({ code: 'unavailable', message })
  })

  test('is retried even at the start if it sends Retry-After', async () => {
    const answers = [new Response('', { status: 503, headers: { 'retry-after': '9' } })]
    const other = standIn(table({ ...EMPTY, [DEVICES]: () => answers.pop() ?? Response.json([]) }))
    expect((await readAll(other.source())).error).toBeUndefined()
    expect(other.pauses).toEqual([9])
  })

  test('interrupts the import when the password has been changed', async () => {
    const { error } = await errorOf(failing(1, () => new Response('', { status: 401 })))
    const message = expect.stringMatching(/^pods.example does not accept the user name or the password; start/)
    expect(error).toMatchObject({ code: 'unavailable', message })
  })

  test('interrupts an import that is resumed with a wrong password', async () => {
    const cursor = '{"kind":"gpodder","step":"favorites"}'
    const { error } = await errorOf(table({ [DEVICES]: new Response('', { status: 401 }) }), { resumeFrom: cursor })
    expect(error).toMatchObject({ code: 'unavailable' })
  })

  test('is retried once after a 500', async () => {
    const other = standIn(failing(9, () => new Response('', { status: 500 })))
    const reading = await readAll(other.source())
    expect(reading.error).toBeUndefined()
    expect(ofKind(reading, 'skipped')).toMatchObject([{ what: 'episode_actions', reason: 'pods.example answers 500' }])
    expect(other.pauses).toEqual([5])
  })
})

describe('cancelling', () => {
  test('ends a pause', async () => {
    const abort = new AbortController()
    const handler = table({ ...EMPTY, [ACTIONS]: () => new Response('', { status: 503 }) })
    const other = standIn(handler, { timer: () => () => undefined })
    const reading = readAll(other.source(), { signal: abort.signal })
    await other.paused
    abort.abort('cancelled')
    expect((await reading).error).toBe('cancelled')
  })

  test('ends the response that is being read', async () => {
    const abort = new AbortController()
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(Buffer.from('['))
    const endless = () => new Response(new ReadableStream({ pull }))
    const source = standIn(table({ [DEVICES]: endless })).source({ kind: 'gpodder' })
    const reading = readAll(source, { signal: abort.signal })
    setImmediate(() => abort.abort('cancelled'))
    expect((await reading).error).toBe('cancelled')
  })
})

test('an invalid cursor starts the import over', async () => {
  for (const resumeFrom of ['', '{', '[]', '{"kind":"fritzbox","step":"feeds"}', '{"kind":"gpodder","step":"dance"}']) {
    const reading = await readAll(standIn(table({ ...EMPTY, [DEVICES]: [{ id: 'phone' }] })).source(), { resumeFrom })
    expect(ofKind(reading, 'device')).toHaveLength(1)
  }
})

test.each([
  ['bytes', { bytes: 1300, items: 10_000 }, 'pods.example sends more than 1300 bytes'],
  ['items', { bytes: 10_000, items: 700 }, 'pods.example sends more than 700 items'],
])('the responses of an import have a total limit, after decompression: %s', async (_what, importLimits, message) => {
  const body = Bun.gzipSync(JSON.stringify(Array(300).fill(0)))
  const client = standIn(() => new Response(body, { headers: { 'content-encoding': 'gzip' } })).client(importLimits)
  const read = () => Array.fromAsync(client.items('/list'))
  expect(await read()).toHaveLength(300)
  expect(await read()).toHaveLength(300)
  await expect(read()).rejects.toMatchObject({ code: 'validation_failed', message })
})
