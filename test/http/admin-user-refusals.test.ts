import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { outbox } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const USERS = '/api/admin/users'

/** Administrator ida, and ole. */
async function open() {
  const app = startTestApp({ settings: { registration: 'open' }, mailer: outbox().mailer })
  return { app, ida: await signUp(app), ole: await signUp(app, 'ole') }
}

/** Every endpoint whose path names an account, with a body that would do. */
const NAMED: readonly (readonly [method: string, end: string, body: unknown])[] = [
  ['DELETE', '', undefined],
  ['POST', '/activate', undefined],
  ['POST', '/deactivate', undefined],
  ['POST', '/role', { is_admin: true }],
  ['POST', '/password', { password: 'driftwood' }],
  ['POST', '/reset-password', undefined],
]

const LONG = 'x'.repeat(10_000)

describe.each(NAMED)('%s /api/admin/users/{username}%s', (method, end, body) => {
  test.each([
    ['nobody has', 'nobody'],
    ['of a letter that folds to an ASCII one', 'o%C5%82e'],
    ['of the Kelvin sign', '%E2%84%AA'],
    ['with a slash in it', 'ole%2F..'],
    ['with an encoded percent sign', '%256Fle'],
    ['with a NUL behind', 'ole%00'],
    ['with a line end', 'ole%0D%0ASet-Cookie:%20a=b'],
    ['of dots', '...'],
    ['with a quote', "ole'--"],
    ['with a wild card', 'ol%25'],
    ['of markup', '%3Cscript%3E'],
    ['with a suffix', 'ole.json'],
    ['in emoji', '%F0%9F%8E%A7'],
    ['that JavaScript objects have', '__proto__'],
    ['longer than any', LONG],
  ])('answers a name %s with 404 and does nothing', async (_case, name) => {
    const { app, ida } = await open()
    const before = stored(app)
    const answer = await ida.call(method, `${USERS}/${name}${end}`, { body })
    expect(answer).toMatchObject({ status: 404, json: { error: 'unknown_user' } })
    expect(stored(app)).toBe(before)
  })

  test.each(['OLE', '%6Fle', 'ole%20', '%20ole'])('knows ole by %s', async (name) => {
    const { app, ida } = await open()
    app.db.run(`UPDATE users SET email = 'ole@pods.example', email_key = 'ole@pods.example' WHERE username = 'ole'`)
    expect(await ida.call(method, `${USERS}/${name}${end}`, { body })).toMatchObject({ status: 200 })
  })
})

describe('a body', () => {
  test.each([
    ['broken', 'role', '{', 'invalid_json', undefined],
    ['missing', 'role', undefined, 'invalid_json', undefined],
    ['of another type', 'role', true, 'validation_failed', 'body'],
    ['without is_admin', 'role', {}, 'validation_failed', 'is_admin'],
    ['with a text for is_admin', 'role', { is_admin: 'true' }, 'validation_failed', 'is_admin'],
    ['with a number for is_admin', 'role', { is_admin: 1 }, 'validation_failed', 'is_admin'],
    ['with null for is_admin', 'role', { is_admin: null }, 'validation_failed', 'is_admin'],
    ['broken', 'password', '{', 'invalid_json', undefined],
    ['missing', 'password', undefined, 'invalid_json', undefined],
    ['without password', 'password', {}, 'validation_failed', 'password'],
    ['with null for the password', 'password', { password: null }, 'validation_failed', 'password'],
    ['with a password of 3', 'password', { password: 'abc' }, 'validation_failed', 'password'],
    ['with a password of 257', 'password', { password: 'x'.repeat(257) }, 'validation_failed', 'password'],
  ])('%s is refused: %s', async (_case, end, body, word, field) => {
    const { app, ida } = await open()
    const before = stored(app)
    expectRefusal(await ida.post(`${USERS}/ole/${end}`, body), 400, word, field)
    expect(stored(app)).toBe(before)
  })
})

/** Acts that would leave the server without this administrator. */
const HARM: readonly (readonly [what: string, (by: Client, whom: string) => ReturnType<Client['get']>])[] = [
  ['deleted', (by, whom) => by.delete(`${USERS}/${whom}`)],
  ['deactivated', (by, whom) => by.post(`${USERS}/${whom}/deactivate`)],
  ['demoted', (by, whom) => by.post(`${USERS}/${whom}/role`, { is_admin: false })],
]

const activeAdmins = async ({ services }: TestApp) =>
  (await services.administration.list()).filter(({ isAdmin, state }) => isAdmin && state === 'active').length

describe.each(HARM)('the last active administrator cannot be %s', (_what, harm) => {
  test('by himself, in any spelling of the name', async () => {
    const { app, ida } = await open()
    const before = stored(app)
    for (const name of ['ida', 'IDA']) expectRefusal(await harm(ida, name), 409, 'last_admin')
    expect(stored(app)).toBe(before)
  })

  test('while the other administrator is not active', async () => {
    const { app, ida } = await open()
    await ida.post(`${USERS}/ole/role`, { is_admin: true })
    await ida.post(`${USERS}/ole/deactivate`)
    const before = stored(app)
    expectRefusal(await harm(ida, 'ida'), 409, 'last_admin')
    expect(stored(app)).toBe(before)
    // The one who is not active may go.
    expect(await harm(ida, 'ole')).toMatchObject({ status: 200 })
  })

  test('but may be once there is another, by himself or by that one', async () => {
    for (const actor of ['ida', 'ole'] as const) {
      const scene = await open()
      await scene.ida.post(`${USERS}/ole/role`, { is_admin: true })
      expect(await harm(scene[actor], 'ida')).toMatchObject({ status: 200 })
      expect(await activeAdmins(scene.app)).toBe(1)
    }
  })

  test.each(HARM)('nor while the other one is being %s at the same moment', async (_other, harmOther) => {
    const { app, ida, ole } = await open()
    await ida.post(`${USERS}/ole/role`, { is_admin: true })
    const answers = await Promise.all([harm(ida, 'ida'), harmOther(ole, 'ole')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await activeAdmins(app)).toBe(1)
  })
})
