import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { clientOf, signIn, signUp } from '../../support/client.ts'
import { receiver } from '../../support/webhooks.ts'
import { outbox, runJob, tokenIn } from '../accounts.ts'
import { expectError } from '../error.ts'

const HOOK = '/api/2/me/webhook'
const URL = 'https://hooks.example/ida?key=opensesame'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

async function open(settings: Record<string, string> = {}) {
  const hooks = receiver()
  const { sent, mailer } = outbox()
  const app = startTestApp({ settings, webhookSender: hooks.sender, mailer })
  await signUp(app, 'ida', 'seaglass', 'ida@pods.example')
  return { app, ida: await signIn(app), hooks, sent }
}

const FRESH = {
  ...{ url: URL, format: 'json', events: ['new_episode', 'new_device', 'feed_failing'], off_reason: '' },
  ...{ waiting: 0, dropped: 0, last_success: '', last_failure: '', last_error: '', next_attempt: '' },
}

test('a webhook is created, shown without its secret, changed with the same secret, and deleted', async () => {
  const { app, ida } = await open({ access_log: 'true' })
  expect(await ida.get(HOOK)).toMatchObject({ status: 200, json: null })
  const made = await ida.put(HOOK, { url: URL })
  const { secret, ...shown } = made.json as { secret: string }
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(shown).toEqual(FRESH)
  expect((await ida.get(HOOK)).json).toEqual(FRESH)
  const changed = { url: 'https://ntfy.example/pods', format: 'ntfy' }
  const events = ['feed_failing', 'new_device', 'new_device']
  const sorted = events.slice(0, 2).toReversed()
  expect((await ida.put(HOOK, { ...changed, events })).json).toEqual({ ...FRESH, ...changed, events: sorted })
  const stored = () => app.rowsOf('SELECT secret FROM webhooks')
  expect(await stored()).toEqual([{ secret }])
  // A secret chosen by the user is not returned.
  expect((await ida.put(HOOK, { url: URL, secret: SECRET })).json).toEqual(FRESH)
  expect(await stored()).toEqual([{ secret: SECRET }])
  expect((await ida.delete(HOOK)).json).toEqual({ status: 'ok' })
  expectError(await ida.delete(HOOK), 404, 'not_found')
  expect(app.logs.join()).not.toContain('opensesame')
})

test('refuses an invalid or private address, format, event or secret', async () => {
  const { ida, hooks } = await open()
  hooks.script.isForbidden = (url) => url.includes('nas.lan')
  for (const [field, value] of [
    ['url', 'hooks.example'],
    ['url', 'http://nas.lan/x'],
    ['format', 'slack'],
    ['events', ['boom']],
    ['events', []],
    ['secret', 'whsec_c2hvcnQ='],
    ['secret', 'x'.repeat(48)],
    ['secret', `whsec_${'A'.repeat(100)}`],
  ] as const)
    expectError(await ida.put(HOOK, { url: URL, [field]: value }), 400, 'validation_failed', field)
  expect(await ida.get(HOOK)).toMatchObject({ status: 200, json: null })
})

test('an unexpected error of the address check is an internal error', async () => {
  const { ida, hooks, app } = await open()
  hooks.script.isForbidden = () => {
    throw new TypeError('oops')
  }
  expectError(await ida.put(HOOK, { url: URL }), 500, 'internal')
  expect(app.logs.join()).not.toContain('opensesame')
})

test('a webhook belongs to its user', async () => {
  const { app, ida } = await open()
  await ida.put(HOOK, { url: URL })
  const kai = await signUp(app, 'kai', 'pebbles')
  expect((await kai.get(HOOK)).json).toBeNull()
  expect((await kai.put(HOOK, { url: 'https://other.example/' })).status).toBe(200)
  expect((await kai.delete(HOOK)).status).toBe(200)
  expectError(await kai.post(`${HOOK}/test`), 404, 'not_found')
  expect((await ida.get(HOOK)).json).toEqual(FRESH)
})

test('a test message is sent at once, reports its failure, and is limited to ten in ten minutes', async () => {
  const { app, ida, hooks } = await open()
  const send = () => ida.post(`${HOOK}/test`)
  expectError(await send(), 404, 'not_found')
  await ida.put(HOOK, { url: URL })
  for (let n = 0; n < 8; n++) expect((await send()).json).toEqual({ status: 'ok' })
  expect(hooks.told()[0]).toEqual({ event: 'test' })
  hooks.script.answer = () => 403
  const refused = await send()
  expectError(refused, 502, 'webhook_failed')
  expect(refused.json).toMatchObject({ message: 'hooks.example answered 403' })
  hooks.script.answer = () => 'hooks.example takes too long'
  expect((await send()).json).toMatchObject({ message: 'hooks.example takes too long' })
  expect((await ida.get(HOOK)).json).toEqual(FRESH)
  expectError(await send(), 429, 'rate_limited')
  expect(hooks.attempts).toHaveLength(10)
  app.clock.advance(600)
  expectError(await send(), 502, 'webhook_failed')
})

test('a password reset disables the webhook, since an attacker may have created it', async () => {
  const { app, ida, sent } = await open({ base_url: 'http://localhost' })
  const { secret: first } = (await ida.put(HOOK, { url: URL })).json as { secret: string }
  const anyone = clientOf(app)
  await anyone.post('/api/2/password-reset', { email: 'ida@pods.example' })
  await runJob(app, 'mail')
  await anyone.post('/api/2/password-reset/confirm', { token: tokenIn(sent), new_password: 'driftwood' })
  const again = await signIn(app, 'ida', 'driftwood')
  expect((await again.get(HOOK)).json).toEqual({ ...FRESH, off_reason: 'password_reset' })
  // The attacker may know the secret.
  const { json } = await again.put(HOOK, { url: URL })
  expect(json).toEqual({ ...FRESH, secret: expect.stringMatching(/^whsec_/) })
  expect(json).not.toMatchObject({ secret: first })
  expect((await again.put(HOOK, { url: URL })).json).toEqual(FRESH)
  // A change of password by the user does not disable it.
  await again.post('/api/2/me/password', { old_password: 'driftwood', new_password: 'seaglass' })
  expect((await again.get(HOOK)).json).toEqual(FRESH)
  expect((await again.post('/api/admin/users/ida/password', { password: 'pebbles' })).status).toBe(200)
  expect((await again.get(HOOK)).json).toMatchObject({ off_reason: 'password_reset' })
})
