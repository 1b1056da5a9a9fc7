import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, signIn, signUp } from '../../support/client.ts'
import { countingHasher, outbox, tokenIn } from '../accounts.ts'
import { expectError } from '../error.ts'

/** A gate that calls wait at while it is closed. */
function gate() {
  const { promise: opened, resolve: letGo } = Promise.withResolvers<void>()
  let isClosed = false
  let reached: (() => void) | undefined
  return {
    async pass() {
      if (!isClosed) return
      reached?.()
      await opened
    },
    /** From now on everybody waits; settles when the first one does, and nobody else waits from then on. */
    close() {
      isClosed = true
      return new Promise<void>((resolve) => {
        reached = () => {
          isClosed = false
          resolve()
        }
      })
    },
    letGo,
  }
}

/** Ole has been mailed a link because somebody knows his password, and is signed in with it; hashing can be held up. */
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
  // A user who has signed in at a provider needs none, but a session that still lives.
  ['with a session alone', {}, 401, 'unauthorized', undefined],
])('a password reset is not undone by a change %s that was under way', async (_case, how, status, code, field) => {
  const { app, thief, hashing, reset, me } = await open()
  if (!('old_password' in how))
    await app.rowsOf(
      "INSERT INTO identities (user_id, issuer, subject, created_at) VALUES (1, 'https://id.example', '1', 0)",
    )
  const isHeldUp = hashing.close()
  const change = thief.post('/api/2/me/password', { ...how, new_password: 'stolen' })
  await isHeldUp
  await reset()
  hashing.letGo()
  expectError(await change, status, code, field)
  expect([await me('seaglass'), await me('stolen'), await me('driftwood')]).toEqual([200, 401, 401])
})

test.each<[string, (ole: Client) => ReturnType<Client['get']>]>([
  ['a login', (ole) => ole.post('/api/2/auth/ole/login.json')],
  ['a request with the password', (ole) => ole.get('/api/2/me')],
])('a password reset leaves no session to %s with the old password that was under way', async (_what, ask) => {
  const { app, verifying, reset } = await open()
  // Long enough for the server to have forgotten that the password was right.
  app.clock.advance(700)
  const isHeldUp = verifying.close()
  const answer = ask(clientOf(app, basic('ole', 'driftwood')))
  await isHeldUp
  await reset()
  verifying.letGo()
  expectError(await answer, 401, 'invalid_credentials')
  expect(await app.rowsOf('SELECT * FROM sessions')).toEqual([])
})
