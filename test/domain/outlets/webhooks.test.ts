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

test('a receiver that answers 500 for a day gets it again ever later, until the message is given up', async () => {
  const { ida, answers, attempts, app, shown, tell, quiet, publish } = await openHookScene()
  answers.answer = () => 500
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  const first = app.clock.seconds()
  expect(await shown()).toMatchObject({
    waiting: 1,
    dropped: 0,
    last_error: 'hooks.example answered 500',
    last_failure: expect.stringMatching(/^2025-03-02T1/),
    next_attempt: expect.stringMatching(/^2025-03-02T1/),
    off_reason: '',
  })
  for (let minute = 0; minute < 25 * 60; minute++) {
    app.clock.advance(MINUTE)
    await tell()
  }
  const waits = attempts.map(({ at }) => at - first)
  expect(waits.slice(0, 8)).toEqual([0, 60, 180, 420, 900, 1860, 3780, 7380])
  expect(Math.max(...waits)).toBeGreaterThan(23 * HOUR)
  expect(Math.max(...waits)).toBeLessThan(DAY)
  expect(new Set(attempts.map(({ message }) => message.id)).size).toBe(1)
  expect(await shown()).toMatchObject({ waiting: 0, dropped: 1, last_error: 'hooks.example answered 500' })
  // The next one is tried, and all is well.
  answers.answer = () => 204
  await publish({ [FOG]: 1 })
  await quiet()
  expect(await shown()).toMatchObject({ waiting: 0, dropped: 1, next_attempt: '' })
  expect(attempts.at(-1)?.message.news.event).toBe('new_episode')
})

test('while attempts fail all messages wait, and then come in their order', async () => {
  const { ida, answers, attempts, told, publish, quiet, app, tell } = await openHookScene()
  answers.answer = () => 'hooks.example takes too long'
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  await publish({ [FOG]: 1 })
  await quiet()
  const before = attempts.length
  answers.answer = () => 200
  app.clock.advance(HOUR)
  await tell()
  expect(told().slice(before)).toMatchObject([{ event: 'new_device' }, { event: 'new_episode' }])
})

test('after a message that is delivered the next failure is the first again', async () => {
  const { ida, answers, quiet, app, tell, publish } = await openHookScene()
  answers.answer = () => 500
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  for (let hour = 0; hour < 5; hour++) {
    app.clock.advance(HOUR)
    await tell()
  }
  await publish({ [FOG]: 1 })
  answers.answer = (_webhook, { news }) => (news.event === 'new_device' ? 200 : 500)
  await quiet()
  const pause = app.db.query('SELECT failures, next_attempt_at - failed_at AS seconds FROM webhooks').get()
  expect(pause).toEqual({ failures: 1, seconds: MINUTE })
})

test('a pause by a clock that was ahead is none', async () => {
  const { ida, answers, attempts, app, quiet, tell } = await openHookScene()
  answers.answer = () => 500
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  app.clock.jump(-2 * HOUR)
  await tell()
  expect(attempts).toHaveLength(2)
})

test.each([
  [401, 'unauthorized'],
  [410, 'gone'],
])('%i switches the webhook off until it is set again', async (status, reason) => {
  const { ida, browser, answers, attempts, shown, quiet, app, publish } = await openHookScene()
  answers.answer = () => status
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  expect(await shown()).toMatchObject({ off_reason: reason, waiting: 0, dropped: 1, next_attempt: '' })
  expect(app.logs.join()).toContain(`"reason":"${reason}"`)
  expect(app.logs.join()).not.toContain(URL)
  await publish({ [FOG]: 1 })
  await ida.post('/api/2/devices/ida/watch.json', {})
  await quiet()
  expect(attempts).toHaveLength(1)
  answers.answer = () => 200
  expect(await browser.put(HOOK, { url: URL })).toMatchObject({ json: { off_reason: '' } })
  await ida.post('/api/2/devices/ida/tablet.json', {})
  await quiet()
  expect(attempts).toHaveLength(2)
})

test.each([400, 413, 415, 422])(
  'a message that is answered with %i is given up, and the next goes out',
  async (status) => {
    const { ida, answers, attempts, told, shown, quiet } = await openHookScene()
    answers.answer = () => 500
    await ida.post('/api/2/devices/ida/desk.json', {})
    await quiet()
    answers.answer = () => (attempts.length === 2 ? status : 200)
    await ida.post('/api/2/devices/ida/watch.json', {})
    await quiet()
    expect(told()).toMatchObject([
      { devices: [{ uid: 'desk' }] },
      { devices: [{ uid: 'desk' }] },
      { devices: [{ uid: 'watch' }] },
    ])
    expect(await shown()).toMatchObject({ waiting: 0, dropped: 1, last_error: `hooks.example answered ${status}` })
  },
)

test('more than 500 messages do not wait, and a run sends 20 of them', async () => {
  const { ida, answers, attempts, app, shown, quiet, tell } = await openHookScene()
  answers.answer = () => 500
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  const { content } = app.db.query<{ content: string }, []>('SELECT content FROM webhook_messages').get() ?? {
    content: '',
  }
  for (let n = 0; n < 500; n++)
    app.db.run('INSERT INTO webhook_messages (user_id, created_at, content) SELECT user_id, ?, ? FROM webhooks', [
      app.clock.seconds(),
      content,
    ])
  await ida.post('/api/2/devices/ida/watch.json', {})
  await quiet()
  expect(await shown()).toMatchObject({ waiting: 500, dropped: 2 })
  answers.answer = () => 200
  const before = attempts.length
  app.clock.advance(HOUR)
  await tell()
  expect(attempts.length - before).toBe(20)
})

test('a message that was on its way when the server stopped goes out after the next start', async () => {
  const { ida, answers, attempts, app, begin } = await openHookScene()
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  answers.answer = (_webhook, _message, signal) => {
    resolve()
    return new Promise((done) => signal.addEventListener('abort', () => done('the server is stopping')))
  }
  await ida.post('/api/2/devices/ida/desk.json', {})
  app.clock.advance(MINUTE)
  begin('webhooks')
  await sent
  app.beginStop()
  await app.idle()
  begin('webhooks')
  await app.idle()
  expect(attempts).toHaveLength(1)
  expect(app.db.query('SELECT * FROM webhook_messages').all()).toHaveLength(1)
  expect(app.db.query('SELECT failures, error FROM webhooks').get()).toEqual({ failures: 0, error: null })
})

test('another address that is set while an attempt fails is not blamed, and gets the message', async () => {
  const { ida, browser, answers, attempts, quiet, tell, shown } = await openHookScene()
  answers.answer = async () => {
    await browser.put(HOOK, { url: 'https://other.example/' })
    return 500
  }
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  expect(await shown()).toMatchObject({ waiting: 1, last_error: '' })
  answers.answer = () => 200
  await tell()
  expect(attempts.map(({ url }) => url)).toEqual([URL, 'https://other.example/'])
})

test('a receiver that says 410 after another one was set switches nothing off', async () => {
  const { ida, browser, answers, quiet, shown } = await openHookScene()
  answers.answer = async () => {
    await browser.put(HOOK, { url: 'https://other.example/' })
    return 410
  }
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  expect(await shown()).toMatchObject({ waiting: 1, off_reason: '' })
})

test('news of a webhook that is removed while they are read become no message', async () => {
  const { app, browser } = await openHookScene()
  const store = createSqliteStore(app.db)
  const userId = 1 as UserId
  await browser.delete(HOOK)
  const message = { id: 'x', createdAt: 1, username: 'ida', news: { event: 'test' } } as const
  await store.webhooks.enqueue({ userId, event: 'new_device', upTo: 1 }, message, 10)
  expect(await store.webhooks.messages(userId, 10)).toEqual([])
})

test('nothing is sent for an account that is not active, and nothing is left of one that is deleted', async () => {
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

test('a broken sender is a bug, and not the fault of the receiver', async () => {
  const { ida, answers, quiet, app } = await openHookScene()
  answers.answer = () => {
    throw new TypeError('oops')
  }
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  expect(app.logs.join()).toContain('work in the background failed')
  expect(app.db.query('SELECT failures FROM webhooks').get()).toEqual({ failures: 0 })
})

test('what waits is sent by the next server on the same database', async () => {
  const { ida, answers, quiet, app } = await openHookScene()
  answers.answer = () => 'hooks.example cannot be reached'
  await ida.post('/api/2/devices/ida/desk.json', {})
  await quiet()
  await ida.post('/api/2/devices/ida/watch.json', {})
  app.beginStop()
  await app.idle()
  const { sender, attempts, told } = receiver()
  const next = startTestApp({ db: app.db, clock: app.clock, webhookSender: sender })
  await next.recover()
  app.clock.advance(MINUTE)
  next.jobs.find(({ name }) => name === 'webhooks')?.run()
  await next.idle()
  expect(told()).toMatchObject([{ devices: [{ uid: 'desk' }] }, { devices: [{ uid: 'watch' }] }])
  expect(attempts[0]?.url).toBe(URL)
})

test.each([
  ['https://hooks.example', 'json', 'https://hooks.example/'],
  [' HTTP://Hooks.example/a?b=c#d ', 'json', 'http://hooks.example/a?b=c'],
  ['https://ida:pw@ntfy.example/ida_pods-1?auth=x', 'ntfy', 'https://ida:pw@ntfy.example/ida_pods-1?auth=x'],
  ['https://gotify.example/push/message?token=A1', 'gotify', 'https://gotify.example/push/message?token=A1'],
] as const)('%s is an address for %s', (text, format, expected) => {
  expect(parseWebhookUrl(text, format)).toBe(expected)
})

test.each([
  ['', 'json'],
  ['hooks.example', 'json'],
  ['ftp://hooks.example/', 'json'],
  ['javascript:alert(1)', 'json'],
  ['http://', 'json'],
  [`https://hooks.example/${'x'.repeat(2048)}`, 'json'],
  [`https://hooks.example/${'ä'.repeat(500)}`, 'json'],
  ['https://ntfy.example/', 'ntfy'],
  ['https://ntfy.example/a b', 'ntfy'],
  [`https://ntfy.example/${'x'.repeat(65)}`, 'ntfy'],
  ['https://gotify.example/message', 'gotify'],
  ['https://gotify.example/?token=A1', 'gotify'],
] as const)('%p is no address for %s', (text, format) => {
  expect(() => parseWebhookUrl(text, format)).toThrow(
    expect.objectContaining({ code: 'validation_failed', field: 'url' }),
  )
})
