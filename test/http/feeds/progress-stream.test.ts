import { afterEach, expect, test } from 'bun:test'
import { failed, openFeedScene } from '../../domain/feed-scene.ts'
import type { TestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { UNCHANGED } from '../../support/feed-source.ts'
import { reasonOf } from '../../support/values.ts'
import { expectError } from '../error.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'
const EVENTS = '/api/admin/feeds/events'
const UPDATE = '/api/admin/feeds/update'
const OLE = '/api/admin/users/ole'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** Somebody who looks on and takes one event after the other. */
async function watch(app: TestApp, headers = basic('ida', 'seaglass')) {
  const response = await app.fetch(
    new Request(`http://localhost${EVENTS}`, { headers: { host: 'localhost', ...headers } }),
  )
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const end = async () => void (await reader?.cancel())
  open.push(end)
  return {
    response,
    end,
    /** The next piece of the stream; undefined at its end. */
    async next(): Promise<string | undefined> {
      const { value } = (await reader?.read()) ?? {}
      return value && decoder.decode(value)
    },
  }
}

const event = (running: boolean, done: number, failed: number, total: number) =>
  `event: progress\ndata: ${JSON.stringify({ running, done, failed, total })}\n\n`

const heartbeat = (app: TestApp) => app.jobs.find(({ name }) => name === 'heartbeat')?.run()

test('the stream tells at once how it is, then each step; no proxy is to collect or keep it', async () => {
  const { app, ida, script, hold, askedFor } = await openFeedScene([A, B])
  script.answer = async () => UNCHANGED
  const { next, response } = await watch(app)
  expect(response.status).toBe(200)
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
  expect(Object.fromEntries(response.headers)).toMatchObject(headers)
  expect(await next()).toBe(event(false, 0, 0, 0))
  const held = hold()
  await ida.post(UPDATE)
  expect(await next()).toBe(event(true, 0, 0, 2))
  await askedFor(2)
  held.release(A)
  expect(await next()).toBe(event(true, 1, 0, 2))
  held.release(B, failed())
  expect(await next()).toBe(event(true, 2, 1, 2))
  expect(await next()).toBe(event(false, 2, 1, 2))
})

test('the stream leaves out what was in between for somebody slow', async () => {
  const { app, ida } = await openFeedScene([A, B])
  const { next } = await watch(app)
  await next()
  await ida.post(UPDATE)
  await app.idle()
  expect(await next()).toBe(event(false, 2, 0, 2))
})

test('the stream ends when the server stops', async () => {
  const { app } = await openFeedScene([A])
  const { next } = await watch(app)
  await next()
  const last = next()
  app.beginStop()
  expect(await last).toBeUndefined()
  expectError(await clientOf(app, basic('ida', 'seaglass')).get(EVENTS), 503, 'unavailable')
})

test('the stream is for 50 at a time', async () => {
  const { app, ida } = await openFeedScene([A])
  const watchers = await Promise.all(Array.from({ length: 50 }, () => watch(app)))
  expectError(await ida.get(EVENTS), 503, 'unavailable')
  await watchers[0]?.end()
  expect((await watch(app)).response.status).toBe(200)
})

test.each<[string, (ida: Client, ole: Client) => Promise<unknown>]>([
  ['is deleted', (ida) => ida.delete(OLE)],
  ['is no administrator any more', (ida) => ida.post(`${OLE}/role`, { is_admin: false })],
  ['has signed out', (_ida, ole) => ole.post('/api/2/auth/ole/logout.json')],
])('the stream ends by its next sign for an administrator who %s', async (_case, act) => {
  const { app, ida } = await openFeedScene([A])
  const byPassword = await signUp(app, 'ole', 'driftwood')
  await ida.post(`${OLE}/role`, { is_admin: true })
  const headers = cookieOf(await byPassword.get('/api/2/me'))
  const [eventful, quiet] = [await watch(app, headers), await watch(app, headers)]
  const other = await watch(app)
  for (const { next } of [eventful, quiet, other]) expect(await next()).toBe(event(false, 0, 0, 0))
  expect(await act(ida, clientOf(app, headers))).toMatchObject({ status: 200 })
  const nothing = quiet.next()
  heartbeat(app)
  expect(await nothing).toBeUndefined()
  const last = eventful.next()
  await ida.post(UPDATE)
  expect(await last).toBeUndefined()
  expect(await other.next()).toMatch(/^event: progress/)
  await app.idle()
})

test('the stream breaks off, and makes room, when the server cannot find out whether it may go on', async () => {
  const { app } = await openFeedScene([A])
  const watchers = await Promise.all(Array.from({ length: 50 }, () => watch(app)))
  for (const { next } of watchers) await next()
  const last = watchers.map(({ next }) => reasonOf(next()))
  app.db.run('ALTER TABLE users RENAME TO elsewhere')
  heartbeat(app)
  expect(await Promise.all(last)).toEqual(Array.from({ length: 50 }, () => expect.any(Error)))
  app.db.run('ALTER TABLE elsewhere RENAME TO users')
  expect((await watch(app)).response.status).toBe(200)
  open.length = 0
})
