import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Answer, basic, clientOf, cookieOf } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { outbox } from './accounts.ts'
import { countingHasher } from './counting-hasher.ts'
import { expectRefusal } from './refusal.ts'

/** A gate that calls wait at while it is closed. */
function gate() {
  let waiting: (() => void)[] = []
  let isClosed = false
  let reached: (() => void) | undefined
  return {
    async pass() {
      if (!isClosed) return
      reached?.()
      await new Promise<void>((resolve) => waiting.push(resolve))
    },
    /** From now on everybody waits; settles when the first one does. */
    close() {
      isClosed = true
      return new Promise<void>((resolve) => {
        reached = resolve
      })
    },
    /** Nobody else waits, but those who do stay. */
    unlock() {
      isClosed = false
    },
    letGo() {
      isClosed = false
      for (const go of waiting) go()
      waiting = []
    },
  }
}

/** Ole has been mailed a link because somebody knows his password; hashing can be held up. */
async function open() {
  const { mailer, sent } = outbox()
  const { hasher } = countingHasher()
  const hashing = gate()
  const verifying = gate()
  const app = startTestApp({
    settings: { rate_limit: 'false' },
    mailer,
    hasher: {
      async hash(password) {
        await hashing.pass()
        return hasher.hash(password)
      },
      async verify(password, phc) {
        const right = await hasher.verify(password, phc)
        await verifying.pass()
        return right
      },
    },
  })
  await app.services.administration.create(
    { username: 'ole', password: 'driftwood', email: 'ole@pods.example' },
    false,
    COMMAND_LINE,
  )
  const thief = clientOf(
    app,
    cookieOf(await clientOf(app, basic('ole', 'driftwood')).post('/api/2/auth/ole/login.json')),
  )
  await clientOf(app).post('/api/2/password-reset', { email: 'ole@pods.example' })
  await app.idle()
  const [mail] = sent
  const token = mail && 'token' in mail ? mail.token : ''
  const confirm = () => clientOf(app).post('/api/2/password-reset/confirm', { token, new_password: 'seaglass' })
  const me = async (password: string) => (await clientOf(app, basic('ole', password)).get('/api/2/me')).status
  return { app, thief, hashing, verifying, confirm, me }
}

describe('a password reset', () => {
  test('is not undone by a change with the old password that was under way', async () => {
    const { thief, hashing, confirm, me } = await open()
    const isHeldUp = hashing.close()
    const change = thief.post('/api/2/me/password', { old_password: 'driftwood', new_password: 'stolen' })
    await isHeldUp
    hashing.unlock()
    expect(await confirm()).toMatchObject({ status: 200 })
    hashing.letGo()
    expectRefusal(await change, 403, 'wrong_password', 'old_password')
    expect([await me('seaglass'), await me('stolen'), await me('driftwood')]).toEqual([200, 401, 401])
  })

  test.each([
    [
      'a login',
      (app: Parameters<typeof clientOf>[0]) =>
        clientOf(app, basic('ole', 'driftwood')).post('/api/2/auth/ole/login.json'),
    ],
    [
      'a request with the password',
      (app: Parameters<typeof clientOf>[0]) => clientOf(app, basic('ole', 'driftwood')).get('/api/2/me'),
    ],
  ])('leaves no session to %s with the old password that was under way', async (_what, ask) => {
    const { app, verifying, confirm } = await open()
    // Long enough for the server to have forgotten that the password was right.
    app.clock.advance(700)
    const isHeldUp = verifying.close()
    const answer: Promise<Answer> = ask(app)
    await isHeldUp
    verifying.unlock()
    expect(await confirm()).toMatchObject({ status: 200 })
    verifying.letGo()
    expectRefusal(await answer, 401, 'invalid_credentials')
    expect(app.db.query('SELECT * FROM sessions').all()).toEqual([])
  })
})

test('a password change without the old one needs a session that still lives', async () => {
  const { app, thief, hashing, confirm, me } = await open()
  app.db.run("INSERT INTO identities (user_id, issuer, subject, created_at) VALUES (1, 'https://id.example', '1', 0)")
  const isHeldUp = hashing.close()
  const change = thief.post('/api/2/me/password', { new_password: 'stolen' })
  await isHeldUp
  hashing.unlock()
  expect(await confirm()).toMatchObject({ status: 200 })
  hashing.letGo()
  expectRefusal(await change, 401, 'unauthorized')
  expect([await me('seaglass'), await me('stolen')]).toEqual([200, 401])
})
