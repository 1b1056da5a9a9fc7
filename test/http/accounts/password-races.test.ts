import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, signIn, signUp } from '../../support/client.ts'
import { countingHasher, outbox, tokenIn } from '../accounts.ts'
import { expectError } from '../error.ts'

/** Holds up the first call after `close` until `release`. */
function gate() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let reached: (() => void) | undefined
  return {
    async pass() {
      const arrived = reached
      reached = undefined
      arrived?.()
      if (arrived) await released
    },
    /** Settles when the first call is held up. */
    close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      reached = resolve
      return promise
    },
    release,
  }
}

/** A thief is signed in with ole's password, and ole has been mailed a reset link. Hashing can be held up. */
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
  await signUp(app, 'ole', 'driftwood', 'ole@pods.example')
  const thief = await signIn(app, 'ole', 'driftwood')
  await clientOf(app).post('/api/2/password-reset', { email: 'ole@pods.example' })
  await app.idle()
  const reset = async () => {
    const body = { token: tokenIn(sent), new_password: 'seaglass' }
    expect(await clientOf(app).post('/api/2/password-reset/confirm', body)).toMatchObject({ status: 200 })
  }
  const me = async (password: string) => (await clientOf(app, basic('ole', password)).get('/api/2/me')).status
  return { app, thief, hashing, verifying, reset, me }
}

test.each([
  ['with the old password', { old_password: 'driftwood' }, 403, 'wrong_password', 'old_password'],
  // Single sign-on makes the session alone sufficient.
  ['with a session alone', {}, 401, 'unauthorized', undefined],
])('a password reset is not undone by a concurrent change %s', async (_case, how, status, code, field) => {
  const { app, thief, hashing, reset, me } = await open()
  if (!('old_password' in how))
    await app.rowsOf(
      "INSERT INTO identities (user_id, issuer, subject, created_at) VALUES (1, 'https://id.example', '1', 0)",
    )
  const isHeldUp = hashing.close()
  const change = thief.post('/api/2/me/password', { ...how, new_password: 'stolen' })
  await isHeldUp
  await reset()
  hashing.release()
  expectError(await change, status, code, field)
  expect([await me('seaglass'), await me('stolen'), await me('driftwood')]).toEqual([200, 401, 401])
})

test.each<[string, (ole: Client) => ReturnType<Client['get']>]>([
  ['a concurrent login', (ole) => ole.post('/api/2/auth/ole/login.json')],
  ['a concurrent request', (ole) => ole.get('/api/2/me')],
])('a password reset leaves no session to %s with the old password', async (_case, ask) => {
  const { app, verifying, reset } = await open()
  // The password is no longer remembered.
  app.clock.advance(700)
  const isHeldUp = verifying.close()
  const answer = ask(clientOf(app, basic('ole', 'driftwood')))
  await isHeldUp
  await reset()
  verifying.release()
  expectError(await answer, 401, 'invalid_credentials')
  expect(await app.rowsOf('SELECT * FROM sessions')).toEqual([])
})
