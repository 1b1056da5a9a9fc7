import { expect, test } from 'bun:test'
import { parseWebhookUrl } from '../../../src/domain/outlets/webhooks.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { startTestApp } from '../../support/app.ts'
import { signIn, signUp } from '../../support/client.ts'
import { receiver } from '../../support/webhooks.ts'
import { HOUR } from '../feed-scene.ts'
import { FOG, HOOK, MINUTE, openHookScene, URL } from './webhook-scene.ts'

const DAY = 24 * HOUR

test('a receiver that answers 500 for a day is tried ever less often, until the message is dropped', async () => {
  const { answers, attempts, app, shown, deliver, publish, ...scene } = await openHookScene()
  answers.answer = () => 500
  await scene.addDevices('desk')
  const first = app.clock.seconds()
  const time = expect.stringMatching(/^2025-03-02T1/)
  const waiting = { waiting: 1, dropped: 0, last_error: 'hooks.example answered 500', off_reason: '' }
  expect(await shown()).toMatchObject({ ...waiting, last_failure: time, next_attempt: time })
  for (const minutes of [...Array<number>(180).fill(1), ...Array<number>(88).fill(15)]) {
    app.clock.advance(minutes * MINUTE)
    await deliver()
  }
  const waits = attempts.map(({ at }) => at - first)
  expect(waits.slice(0, 8)).toEqual([0, 60, 180, 420, 900, 1860, 3780, 7380])
  expect(Math.max(...waits)).toBeWithin(23 * HOUR + 1, DAY)
  expect(new Set(attempts.map(({ message }) => message.id)).size).toBe(1)
  expect(await shown()).toMatchObject({ waiting: 0, dropped: 1, last_error: 'hooks.example answered 500' })
  answers.answer = () => 204
  await publish({ [FOG]: 1 })
  await scene.quiet()
  expect(await shown()).toMatchObject({ waiting: 0, dropped: 1, next_attempt: '' })
  expect(attempts.at(-1)?.message.news.event).toBe('new_episode')
})

test('the backoff starts again after a delivered message', async () => {
  const { answers, app, deliver, publish, ...scene } = await openHookScene()
  answers.answer = () => 500
  await scene.addDevices('desk')
  for (let hour = 0; hour < 5; hour++) {
    app.clock.advance(HOUR)
    await deliver()
  }
  await publish({ [FOG]: 1 })
  answers.answer = (_webhook, { news }) => (news.event === 'new_device' ? 200 : 500)
  await scene.quiet()
  const pause = app.db.query('SELECT failures, next_attempt_at - failed_at AS seconds FROM webhooks').get()
  expect(pause).toEqual({ failures: 1, seconds: MINUTE })
})

test('a backoff set by a clock that was ahead is ignored', async () => {
  const { answers, attempts, app, deliver, ...scene } = await openHookScene()
  answers.answer = () => 500
  await scene.addDevices('desk')
  app.clock.jump(-2 * HOUR)
  await deliver()
  expect(attempts).toHaveLength(2)
})

test.each([
  [401, 'unauthorized'],
  [410, 'gone'],
])('%i turns the webhook off until it is set again', async (status, reason) => {
  const { browser, answers, attempts, shown, app, publish, ...scene } = await openHookScene()
  answers.answer = () => status
  await scene.addDevices('desk')
  expect(await shown()).toMatchObject({ off_reason: reason, waiting: 0, dropped: 1, next_attempt: '' })
  expect(app.logs.join()).toContain(`"reason":"${reason}"`)
  expect(app.logs.join()).not.toContain(URL)
  await publish({ [FOG]: 1 })
  await scene.addDevices('watch')
  expect(attempts).toHaveLength(1)
  answers.answer = () => 200
  expect(await browser.put(HOOK, { url: URL })).toMatchObject({ json: { off_reason: '' } })
  await scene.addDevices('tablet')
  expect(attempts).toHaveLength(2)
})

test.each([400, 413, 415, 422])('after a %i the message is dropped, and the next one is sent', async (status) => {
  const { answers, attempts, delivered, shown, ...scene } = await openHookScene()
  answers.answer = () => 500
  await scene.addDevices('desk')
  answers.answer = () => (attempts.length === 2 ? status : 200)
  await scene.addDevices('watch')
  expect(delivered()).toMatchObject(['desk', 'desk', 'watch'].map((uid) => ({ devices: [{ uid }] })))
  expect(await shown()).toMatchObject({ waiting: 0, dropped: 1, last_error: `hooks.example answered ${status}` })
})

test('at most 500 messages wait, and a run sends 20 of them', async () => {
  const { answers, attempts, app, shown, deliver, ...scene } = await openHookScene()
  answers.answer = () => 500
  await scene.addDevices('desk')
  for (let n = 0; n < 500; n++)
    app.db.run(
      'INSERT INTO webhook_messages (user_id, created_at, content) SELECT user_id, ?, content FROM webhook_messages LIMIT 1',
      [app.clock.seconds()],
    )
  await scene.addDevices('watch')
  expect(await shown()).toMatchObject({ waiting: 500, dropped: 2 })
  answers.answer = () => 200
  const before = attempts.length
  app.clock.advance(HOUR)
  await deliver()
  expect(attempts.length - before).toBe(20)
})

test.each([500, 410])('the response %i from an address that was replaced meanwhile is ignored', async (status) => {
  const { browser, answers, attempts, deliver, shown, ...scene } = await openHookScene()
  answers.answer = async () => {
    await browser.put(HOOK, { url: 'https://other.example/' })
    return status
  }
  await scene.addDevices('desk')
  expect(await shown()).toMatchObject({ waiting: 1, last_error: '', off_reason: '' })
  answers.answer = () => 200
  await deliver()
  expect(attempts.map(({ url }) => url)).toEqual([URL, 'https://other.example/'])
})

test('news of a webhook that is removed while they are read make no message', async () => {
  const { app, browser } = await openHookScene()
  const store = createSqliteStore(app.db)
  const userId = 1 as UserId
  await browser.delete(HOOK)
  const message = { id: 'x', createdAt: 1, username: 'ida', news: { event: 'test' } } as const
  await store.webhooks.enqueue({ userId, event: 'new_device', lastId: 1 }, message, 10)
  expect(await store.webhooks.messages(userId, 10)).toEqual([])
})

test('nothing is sent for an inactive account, and nothing is left of a deleted one', async () => {
  const { app, ida, attempts, quiet } = await openHookScene()
  await signUp(app, 'kai', 'pebbles')
  const kai = await signIn(app, 'kai', 'pebbles')
  await kai.put(HOOK, { url: 'https://kai.example/' })
  await kai.post('/api/2/devices/kai/desk.json', {})
  expect(await ida.post('/api/admin/users/kai/deactivate')).toMatchObject({ status: 200 })
  await quiet()
  expect(attempts).toEqual([])
  expect(app.db.query('SELECT count(*) AS n FROM webhook_messages').get()).toEqual({ n: 1 })
  expect(await ida.delete('/api/admin/users/kai')).toMatchObject({ status: 200 })
  expect(app.db.query('SELECT count(*) AS n FROM webhook_messages').get()).toEqual({ n: 0 })
})

test('a fault in the sender is not counted as a failure of the receiver', async () => {
  const { answers, app, ...scene } = await openHookScene()
  answers.answer = () => {
    throw new TypeError('oops')
  }
  await scene.addDevices('desk')
  expect(app.logs.join()).toContain('work in the background failed')
  expect(app.db.query('SELECT failures FROM webhooks').get()).toEqual({ failures: 0 })
})

test('messages that wait or are in flight when the server stops are sent after the next start, in order', async () => {
  const { answers, attempts, app, begin, ...scene } = await openHookScene()
  answers.answer = () => 'hooks.example cannot be reached'
  await scene.addDevices('desk', 'watch')
  await scene.addDevices('tablet')
  const state = () => app.db.query('SELECT failures, error FROM webhooks').get()
  const before = state()
  app.clock.advance(HOUR)
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  answers.answer = (_webhook, _message, signal) => {
    resolve()
    return new Promise((done) => signal.addEventListener('abort', () => done('the server is stopping')))
  }
  begin('webhooks')
  await sent
  app.beginStop()
  await app.idle()
  begin('webhooks')
  await app.idle()
  expect(attempts).toHaveLength(3)
  expect(state()).toEqual(before)
  const next = receiver()
  const restarted = startTestApp({ db: app.db, clock: app.clock, webhookSender: next.sender })
  await restarted.recover()
  app.clock.advance(MINUTE)
  restarted.jobs.find(({ name }) => name === 'webhooks')?.run()
  await restarted.idle()
  expect(next.told()).toMatchObject([
    { devices: [{ uid: 'desk' }, { uid: 'watch' }] },
    { devices: [{ uid: 'tablet' }] },
  ])
  expect(next.attempts[0]?.url).toBe(URL)
})

test.each([
  ['https://hooks.example', 'json', 'https://hooks.example/'],
  [' HTTP://Hooks.example/a?b=c#d ', 'json', 'http://hooks.example/a?b=c'],
  ['https://ida:pw@ntfy.example/ida_pods-1?auth=x', 'ntfy', 'https://ida:pw@ntfy.example/ida_pods-1?auth=x'],
  ['https://gotify.example/push/message?token=A1', 'gotify', 'https://gotify.example/push/message?token=A1'],
] as const)('%s is a valid address for %s', (text, format, expected) => {
  expect(parseWebhookUrl(text, format)).toBe(expected)
})

test.each([
  ...['', 'hooks.example', 'ftp://hooks.example/', 'javascript:alert(1)', 'http://'].map(
    (url) => [url, 'json'] as const,
  ),
  ...['x'.repeat(2048), 'ä'.repeat(500)].map((path) => [`https://hooks.example/${path}`, 'json'] as const),
  ...['', 'a b', 'x'.repeat(65)].map((path) => [`https://ntfy.example/${path}`, 'ntfy'] as const),
  ...['message', '?token=A1'].map((path) => [`https://gotify.example/${path}`, 'gotify'] as const),
])('%p is no valid address for %s', (text, format) => {
  const refusal = { code: 'validation_failed', field: 'url' }
  expect(() => parseWebhookUrl(text, format)).toThrow(expect.objectContaining(refusal))
})
