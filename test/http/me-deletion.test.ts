import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { comeByProvider } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const ME = '/api/2/me'
const FEED = 'https://feeds.example/a'
const PASSWORD = { password: 'seaglass' }

/** Administrator ole, and ida with a device, a feed and an action, who is signed in on her phone. */
async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings: { registration: 'open', ...settings } })
  const ole = await signUp(app, 'ole', 'driftwood')
  const desk = await signUp(app, 'Ida')
  await desk.post('/api/2/subscriptions/ida/phone.json', { add: [FEED] })
  await desk.post('/api/2/episodes/ida.json', [{ podcast: FEED, episode: `${FEED}/1`, action: 'new' }])
  const phone = clientOf(app, cookieOf(await desk.post('/api/2/auth/ida/login.json')))
  return { app, ole, desk, phone, anyone: clientOf(app) }
}

describe('DELETE /api/2/me', () => {
  test('removes the account with everything of it, and signs out', async () => {
    const { app, desk, phone, anyone } = await open()
    const answer = await phone.delete(ME, { body: PASSWORD })
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }])
    expect(answer.headers.get('set-cookie')).toMatch(/^sessionid=; .*Max-Age=0/)
    expectRefusal(await phone.get(ME), 401, 'unauthorized')
    expectRefusal(await desk.get(ME), 401, 'invalid_credentials')
    for (const table of ['devices', 'subscriptions', 'episode_actions', 'listeners'])
      expect(app.db.query(`SELECT 1 FROM ${table}`).all()).toEqual([])
    expect((await anyone.post('/api/2/register', { username: 'ida', password: 'seagrass' })).status).toBe(200)
    expect((await clientOf(app, basic('ida', 'seagrass')).get('/subscriptions/ida.json')).json).toEqual([])
  })

  test('refuses the last administrator, who stays signed in', async () => {
    const { app, ole } = await open()
    const before = stored(app)
    expectRefusal(await ole.delete(ME, { body: { password: 'driftwood' } }), 409, 'last_admin')
    expect(stored(app)).toBe(before)
    expect((await ole.get(ME)).status).toBe(200)
    await app.services.administration.setAdmin('ida', true, COMMAND_LINE)
    expect((await ole.delete(ME, { body: { password: 'driftwood' } })).status).toBe(200)
  })

  test.each([
    ['nothing', undefined, 400, 'validation_failed', 'password'],
    ['an empty object', {}, 400, 'validation_failed', 'password'],
    ['a password that is null', { password: null }, 400, 'validation_failed', 'password'],
    ['a password that is a number', { password: 1 }, 400, 'validation_failed', 'password'],
    ['the name instead of the password', { username: 'ida' }, 400, 'validation_failed', 'password'],
    ['a wrong password', { password: 'wrong' }, 403, 'wrong_password', 'password'],
    ['a wrong password and the name', { password: 'wrong', username: 'ida' }, 403, 'wrong_password', 'password'],
    ['a password of a megabyte', { password: 'x'.repeat(1_000_000) }, 403, 'wrong_password', 'password'],
    ['what is no JSON', '{"password"', 400, 'invalid_json', undefined],
    ['what is too much', 'x'.repeat(11_000_000), 413, 'payload_too_large', undefined],
  ])('refuses %s and changes nothing', async (_case, body, status, word, field) => {
    const { app, phone } = await open()
    const before = stored(app)
    expectRefusal(await phone.delete(ME, { body }), status, word, field)
    expect(stored(app)).toBe(before)
    expect((await phone.get(ME)).status).toBe(200)
  })

  test('does not let anybody guess the password', async () => {
    const { phone } = await open()
    for (let n = 0; n < 10; n++) await phone.delete(ME, { body: { password: `guess ${n}` } })
    expectRefusal(await phone.delete(ME, { body: PASSWORD }), 429, 'rate_limited')
  })

  test('of two last administrators at once leaves one', async () => {
    const { app, ole, phone } = await open()
    await app.services.administration.setAdmin('ida', true, COMMAND_LINE)
    const answers = await Promise.all([
      phone.delete(ME, { body: PASSWORD }),
      ole.delete(ME, { body: { password: 'driftwood' } }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await app.services.administration.list()).filter(({ isAdmin }) => isAdmin)).toHaveLength(1)
  })

  test('takes what is uploaded meanwhile along', async () => {
    const { app, desk, phone } = await open()
    const items = Array.from({ length: 3000 }, (_, n) => ({ podcast: FEED, episode: `${FEED}/${n}`, action: 'new' }))
    const [answer] = await Promise.all([
      phone.delete(ME, { body: PASSWORD }),
      desk.post('/api/2/episodes/ida.json', items),
      desk.post('/api/2/subscriptions/ida/new.json', { add: [`${FEED}/new`] }),
    ])
    expect(answer.status).toBe(200)
    for (const table of ['devices', 'subscriptions', 'episode_actions', 'sessions'])
      expect(app.db.query(`SELECT 1 FROM ${table} t`).all()).toEqual([])
  })
})

describe('whoever signs in at a provider and has no password', () => {
  test.each(['eva', 'EVA', ' eva '])('types the own name: %p', async (username) => {
    const { app } = await open()
    const eva = await comeByProvider(app, 'eva')
    expect((await eva.delete(ME, { body: { username } })).status).toBe(200)
    expectRefusal(await eva.get(ME), 401, 'unauthorized')
  })

  test.each([
    ['another name', { username: 'ida' }, 400, 'validation_failed', 'username'],
    ['no name', {}, 400, 'validation_failed', 'username'],
    ['an empty name', { username: '' }, 400, 'validation_failed', 'username'],
    ['a name that is a number', { username: 1 }, 400, 'validation_failed', 'username'],
    ['a password', { password: 'seaglass', username: 'eva' }, 403, 'wrong_password', 'password'],
  ])('and sends %s is refused', async (_case, body, status, word, field) => {
    const { app } = await open()
    const eva = await comeByProvider(app, 'eva')
    const before = stored(app)
    expectRefusal(await eva.delete(ME, { body }), status, word, field)
    expect(stored(app)).toBe(before)
  })
})
