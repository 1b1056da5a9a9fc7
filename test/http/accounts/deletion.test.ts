import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { type Client, clientOf, signIn, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { expectVoid, names, outbox, runJob, signUpByProvider, tokenIn } from '../accounts.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'

const ME = '/api/2/me'
const USERS = '/api/admin/users'
const FEED = 'https://feeds.example/a'
const ADDRESS = 'ole@pods.example'
const PASSWORD = { password: 'driftwood' }
const AGAIN = { username: 'ole', ...PASSWORD, email: ADDRESS }

/** Administrator ida, and Ole with two synchronized devices, an episode action and a browser. */
async function open() {
  const { mailer, sent } = outbox()
  const app = startTestApp({ settings: { registration: 'invite' }, mailer })
  const ida = await signUp(app)
  const ole = await signUp(app, 'Ole', 'driftwood', 'Ole@Pods.example')
  for (const device of ['phone', 'desk']) await ole.put(`/subscriptions/ole/${device}.txt`, FEED)
  await ole.post('/api/2/sync-devices/ole.json', { synchronize: [['phone', 'desk']] })
  await ole.post('/api/2/episodes/ole.json', [{ podcast: FEED, episode: `${FEED}/1`, action: 'new' }])
  const browser = await signIn(app, 'ole', 'driftwood')
  return { app, ida, ole, browser, anyone: clientOf(app), sent }
}

const WAYS: readonly (readonly [string, (browser: Client, ida: Client) => ReturnType<Client['delete']>])[] = [
  ['the user', (browser) => browser.delete(ME, { body: PASSWORD })],
  ['an administrator', (_browser, ida) => ida.delete(`${USERS}/OLE`)],
]

describe.each(WAYS)('a deletion by %s', (actor, remove) => {
  test('leaves nothing of the account; its name and email address can be used again', async () => {
    const { app, ida, ole, browser, anyone, sent } = await open()
    await anyone.post('/api/2/password-reset', { email: ADDRESS })
    await app.idle()
    // Another mail in the queue.
    await app.rowsOf(
      `INSERT INTO mails (purpose, email_key, requested_at, next_attempt_at) VALUES ('password_reset', '${ADDRESS}', 1, 9e9)`,
    )
    for (const insert of [
      "INSERT INTO identities (user_id, issuer, subject, created_at) VALUES (2, 'https://id.example', '1', 1)",
      'INSERT INTO second_factors (user_id, secret, last_step, created_at) VALUES (2, BYTE, 1, 1)',
      'INSERT INTO recovery_codes (user_id, code_hash) VALUES (2, BYTE)',
    ])
      await app.rowsOf({ sqlite: insert.replace('BYTE', "x'00'"), postgres: insert.replace('BYTE', "'\\x00'") })

    const answer = await remove(browser, ida)
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }])
    if (actor === 'the user') expect(answer.headers.get('set-cookie')).toMatch(/^sessionid=; .*Max-Age=0/)
    expect([await names(app), await tablesWith(app, 2)]).toEqual([['ida'], []])
    const tables = JSON.parse(await stored(app)).filter(([name]: [string]) => name !== 'audit_log')
    expect(JSON.stringify(tables).toLowerCase()).not.toContain('"ole')
    for (const client of [ole, browser]) expect((await client.get(ME)).status).toBe(401)
    expectVoid(await anyone.post('/api/2/password-reset/confirm', { token: tokenIn(sent), new_password: 'seagrass' }))

    expect(await anyone.post('/api/2/register', AGAIN)).toMatchObject({ json: { status: 'pending_activation' } })
    expectError(await browser.get(ME), 401, 'unauthorized')
    await ida.post(`${USERS}/ole/activate`)
    expect((await ole.get('/api/2/devices/ole.json')).json).toEqual([])
    expect((await ole.get('/api/2/episodes/ole.json')).json).toMatchObject({ actions: [] })
  })
})

test('a deletion includes thousands of actions, and uploads in flight', async () => {
  const { app, ida, ole, browser } = await open()
  const upload = (from: number) =>
    ole.post(
      '/api/2/episodes/ole.json',
      Array.from({ length: 2500 }, (_, n) => ({ podcast: FEED, episode: `${FEED}/${from + n}`, action: 'new' })),
    )
  await upload(0)
  const [answer] = await Promise.all([
    browser.delete(ME, { body: PASSWORD }),
    upload(2500),
    ole.post('/api/2/subscriptions/ole/new.json', { add: [`${FEED}/new`] }),
  ])
  expect([answer.status, await tablesWith(app, 2)]).toEqual([200, []])
  expect((await ida.get('/api/admin/stats')).json).toMatchObject({ users: 1, episode_actions: 0 })
})

test('housekeeping finishes a deletion that a crash interrupted; until then the account is hidden', async () => {
  const { app, ida, ole, browser, anyone } = await open()
  await app.rowsOf("UPDATE users SET state = 'deleting' WHERE username = 'Ole'")
  const hidden = async () => {
    expect((await ida.get(USERS)).json).toMatchObject([{ username: 'ida' }])
    expect((await ida.get('/api/admin/stats')).json).toMatchObject({ users: 1, episode_actions: 0 })
    for (const client of [ole, browser]) expect((await client.get(ME)).status).toBe(401)
    expectError(await ida.post(`${USERS}/ole/activate`), 404, 'unknown_user')
    await anyone.post('/api/2/password-reset', { email: ADDRESS })
  }
  await hidden()
  expectError(await ida.post(USERS, AGAIN), 409, 'username_taken', 'username')
  await runJob(app, 'housekeeping')
  await hidden()
  expect(await tablesWith(app, 2)).toEqual([])
  expect(await ida.post(USERS, AGAIN)).toMatchObject({ status: 200 })
})

test('DELETE /api/2/me refuses the last administrator, even if two leave at once', async () => {
  const { app, ida, browser } = await open()
  const before = await stored(app)
  const idaLeaves = () => ida.delete(ME, { body: { password: 'seaglass' } })
  expectError(await idaLeaves(), 409, 'last_admin')
  expect(await stored(app)).toBe(before)
  await app.services.administration.setAdmin('ole', true, COMMAND_LINE)
  const answers = await Promise.all([browser.delete(ME, { body: PASSWORD }), idaLeaves()])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect((await app.services.administration.list()).filter(({ isAdmin }) => isAdmin)).toHaveLength(1)
})

test('DELETE /api/2/me needs the password of a user who has one', async () => {
  const { browser } = await open()
  expectError(await browser.delete(ME), 400, 'validation_failed', 'password')
  expect((await browser.get(ME)).status).toBe(200)
})

test.each([
  ['their own name', { username: ' EVA ' }, 200, '', undefined],
  ['another name', { username: 'ida' }, 400, 'validation_failed', 'username'],
  ['a password', { password: 'seaglass', username: 'eva' }, 403, 'wrong_password', 'password'],
])('users without a password confirm the deletion by %s', async (_case, body, status, code, field) => {
  const { app } = await open()
  const eva = await signUpByProvider(app, 'eva')
  const before = await stored(app)
  const answer = await eva.delete(ME, { body })
  if (status === 200) return expectError(await eva.get(ME), 401, 'unauthorized')
  expectError(answer, status, code, field)
  expect(await stored(app)).toBe(before)
})

const TABLES = {
  sqlite: `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'user_id' WHERE m.type = 'table'`,
  postgres: `SELECT table_name AS name FROM information_schema.columns
              WHERE column_name = 'user_id' AND table_schema = current_schema()`,
}

/** Tables with rows of the account after the indexer has processed its changes. */
async function tablesWith({ indexed, rowsOf }: TestApp, user: number): Promise<string[]> {
  await indexed()
  const left: string[] = []
  for (const { name } of await rowsOf<{ name: string }>(TABLES))
    if ((await rowsOf(`SELECT 1 FROM ${name} WHERE user_id = $1`, user)).length > 0) left.push(name)
  const orphans = await rowsOf('SELECT 1 FROM subscriptions WHERE device_id NOT IN (SELECT id FROM devices)')
  return orphans.length === 0 ? left : [...left, 'subscriptions']
}

const ACTION = { podcast: FEED, episode: 'https://cdn.example/1', action: 'play', device: 'phone' }

async function fill(client: Client, name: string): Promise<void> {
  await client.put(`/subscriptions/${name}/phone.txt`, FEED)
  await client.post(`/api/2/devices/${name}/desk.json`, { type: 'desktop' })
  await client.post(`/api/2/sync-devices/${name}.json`, { synchronize: [['phone', 'desk']] })
  await client.post(`/api/2/episodes/${name}.json`, [ACTION])
  await client.post(`/api/2/settings/${name}/account.json`, { set: { theme: 'dark' } })
}

test('users with the same device IDs, feeds and episodes do not affect each other, nor does a deletion', async () => {
  const app = startTestApp()
  const [ida, bob] = [await signUp(app), await signUp(app, 'bob')]
  await fill(ida, 'ida')
  await fill(bob, 'bob')
  await app.idle()
  const everything = async () => [
    (await ida.get('/api/2/me/export')).text,
    (await ida.get('/api/2/subscriptions/ida/phone.json?since=1')).text,
    (await ida.get('/api/2/episodes/ida.json')).text,
  ]
  const before = await everything()
  await bob.post('/api/2/devices/bob/phone.json', { caption: "Bob's", type: 'server' })
  await bob.post('/api/2/subscriptions/bob/phone.json', { add: ['https://feeds.example/b'], remove: [FEED] })
  await bob.post('/api/2/episodes/bob.json', [{ ...ACTION, action: 'delete' }])
  await bob.post('/api/2/settings/bob/account.json', { set: { theme: 'light' } })
  await bob.post('/api/2/sync-devices/bob.json', { 'stop-synchronize': ['phone'] })
  for (const device of ['desk', 'phone']) await bob.delete(`/api/2/devices/bob/${device}.json`)
  expect(await everything()).toEqual(before)
  await fill(bob, 'bob')
  await app.services.administration.remove('bob', COMMAND_LINE)
  await app.idle()
  expect(await everything()).toEqual(before)
})
