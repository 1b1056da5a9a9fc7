import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { startRawServer, startWebServer } from '../support/web-server.ts'
import { expectRefusal } from './refusal.ts'

const TEST = '/api/admin/directory/test'
const STATE = '/api/admin/directory'
const TRENDING = '/api/2/trending'
const KEY = 'hunter1 of the directory'
const SECRET = 'hunter2$of^the#directory'
const PODCAST = { title: 'Harbour Talk', url: 'https://feeds.example/harbour' }

const feeds = (...list: unknown[]) => Response.json({ status: 'true', feeds: list, count: list.length })
const NOTHING = { state: 'ok', trouble: '', cause: '' }

/** Administrator ida, and a podstep that knows a directory at this port. */
async function open(port: number, settings: Record<string, string> = {}) {
  const app = startTestApp({
    settings: {
      directory_key: KEY,
      directory_secret: SECRET,
      directory_url: `http://127.0.0.1:${port}/api/1.0`,
      ...settings,
    },
  })
  return { app, ida: await signUp(app), anyone: clientOf(app) }
}

/** A directory whose trending podcasts are what `answer` says at the moment. */
function startDirectory(answer: () => Response) {
  const script = { answer }
  const server = startWebServer({ '/api/1.0/podcasts/trending': () => script.answer() })
  return { script, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('without credentials there is nothing to test', async () => {
  const ida = await signUp(startTestApp())
  const { status, json } = await ida.post(TEST)
  expect([status, json]).toEqual([200, { state: 'off', trouble: '', cause: '' }])
})

describe('a test of the directory', () => {
  test('asks it for one podcast, with the credentials', async () => {
    await using directory = startDirectory(() => feeds(PODCAST))
    const { ida } = await open(directory.server.port)
    const { status, json, headers } = await ida.post(TEST)
    expect([status, json]).toEqual([200, NOTHING])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(directory.server.asked.map(({ path }) => path)).toEqual(['/api/1.0/podcasts/trending?max=1'])
    expect(directory.server.asked[0]?.headers.get('x-auth-key')).toBe(KEY)
  })

  test.each<[string, () => Response, string, RegExp, string]>([
    ['rejects them', () => new Response('', { status: 401 }), 'credentials', /directory_key.*\(401\).*clock/, 'error'],
    ['forbids', () => new Response('', { status: 403 }), 'credentials', /directory_key.*\(403\)/, 'error'],
    ['fails', () => new Response('', { status: 500 }), 'answer', /answers 500/, 'error'],
    ['sends a page', () => new Response('<html>'), 'answer', /cannot be read/, 'error'],
    ['sends a list', () => Response.json([]), 'answer', /cannot be read/, 'error'],
    ['sends nothing', () => new Response(''), 'answer', /cannot be read/, 'error'],
    ['has no podcasts', () => feeds(), 'no_matches', /not a single podcast/, 'ok'],
    ['has none that is a podcast', () => feeds('nonsense', { title: 'x' }), 'no_matches', /not a single/, 'ok'],
  ])('says what is wrong when it %s', async (_case, answer, trouble, cause, state) => {
    await using directory = startDirectory(answer)
    const { app, ida } = await open(directory.server.port)
    const { status, json, text } = await ida.post(TEST)
    expect([status, json]).toEqual([200, { state, trouble, cause: expect.stringMatching(cause) }])
    expect(text + app.logs.join()).not.toContain('hunter')
  })

  test('says what is wrong when nothing answers there', async () => {
    const directory = startDirectory(() => feeds())
    await directory[Symbol.asyncDispose]()
    const { ida } = await open(directory.server.port)
    const cause = expect.stringMatching(/^127\.0\.0\.1/)
    expect((await ida.post(TEST)).json).toEqual({ state: 'error', trouble: 'network', cause })
  })

  test('says what is wrong when the connection breaks off', async () => {
    await using server = await startRawServer((socket) => socket.destroy())
    const { ida } = await open(server.port)
    expect((await ida.post(TEST)).json).toMatchObject({ state: 'error', trouble: 'network' })
  })

  test('shows in the state of the directory, as an answer or as a failure', async () => {
    await using directory = startDirectory(() => new Response('', { status: 401 }))
    const { app, ida } = await open(directory.server.port)
    await ida.post(TEST)
    const failure = { at: '2025-03-02T10:00:00', trouble: 'credentials', cause: expect.any(String) }
    expect((await ida.get(STATE)).json).toMatchObject({ last_answer: '', last_failure: failure })
    directory.script.answer = () => feeds()
    app.clock.advance(60)
    await ida.post(TEST)
    expect((await ida.get(STATE)).json).toMatchObject({ last_answer: '2025-03-02T10:01:00', last_failure: failure })
  })

  test('is made anew each time, whatever is known', async () => {
    await using directory = startDirectory(() => feeds(PODCAST))
    const { ida, anyone } = await open(directory.server.port)
    await anyone.get(`${TRENDING}?max=1`)
    for (let n = 0; n < 2; n++) expect((await ida.post(TEST)).json).toEqual(NOTHING)
    expect(directory.server.asked).toHaveLength(3)
  })

  test('is made while the directory is left alone for its failures, and ends that when it answers', async () => {
    await using directory = startDirectory(() => new Response('', { status: 500 }))
    const { ida, anyone } = await open(directory.server.port)
    const state = async (max: number) =>
      (await anyone.get(`${TRENDING}?max=${max}`)).headers.get('x-external-directory')
    for (const max of [1, 2, 3]) expect(await state(max)).toBe('error')
    directory.script.answer = () => feeds(PODCAST)
    expect(await state(4)).toBe('error')
    expect((await ida.post(TEST)).json).toEqual(NOTHING)
    expect(await state(5)).toBe('ok')
  })

  test('may be made ten times a minute by each administrator', async () => {
    await using directory = startDirectory(() => feeds(PODCAST))
    const { app, ida } = await open(directory.server.port)
    const eva = await signUp(app, 'eva')
    await app.services.administration.setAdmin('eva', true, COMMAND_LINE)
    for (let n = 0; n < 10; n++) expect((await ida.post(TEST)).status).toBe(200)
    expectRefusal(await ida.post(TEST), 429, 'rate_limited')
    expect((await eva.post(TEST)).status).toBe(200)
    app.clock.advance(60)
    expect((await ida.post(TEST)).status).toBe(200)
    expect(directory.server.asked).toHaveLength(12)
  })
})
