import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Client, signIn, signUp } from '../../support/client.ts'
import { outbox } from '../accounts.ts'

const AUDIT = '/api/admin/audit'
const USERS = '/api/admin/users'

async function entriesOf(client: Client): Promise<unknown[]> {
  const { entries } = Object((await client.get(`${AUDIT}?per_page=100`)).json)
  if (!Array.isArray(entries)) throw new Error('no page of entries')
  return entries
}

/** Administrator Ida, and ole, an address of whose is known. */
async function open(mailer = outbox().mailer) {
  const app = startTestApp({ settings: { registration: 'invite' }, mailer })
  const ida = await signUp(app, 'Ida')
  const ole = await signUp(app, 'ole', 'driftwood', 'ole@pods.example')
  const { length } = await entriesOf(ida)
  /** What was noted since then, oldest first. */
  const noted = async () => (await entriesOf(ida)).toReversed().slice(length)
  return { app, ida, ole, noted }
}

test('a page has the newest twenty entries unless one asks for others', async () => {
  const { app, ida } = await open()
  for (let n = 1; n <= 30; n++) {
    app.clock.advance(60)
    await ida.post(USERS, { username: `u${n}`, password: 'pebbles' })
  }
  // Ida made herself and ole at the command line.
  expect((await ida.get(AUDIT)).json).toEqual({
    page: 0,
    per_page: 20,
    total: 32,
    total_pages: 2,
    entries: Array.from({ length: 20 }, (_, n) => ({
      id: 32 - n,
      at: `2025-03-02T10:${30 - n}:00`,
      actor: 'Ida',
      via: 'api',
      action: 'user_created',
      user: `u${30 - n}`,
    })),
  })
})

test('what an administrator does is noted with who, when, how and to whom', async () => {
  const { app, ida, noted } = await open()
  const browser = await signIn(app)
  app.clock.advance(3600)
  await browser.post(USERS, { username: 'Eva', password: 'seashell' })
  for (const is_admin of [true, false]) await browser.post(`${USERS}/eva/role`, { is_admin })
  await ida.post(`${USERS}/EVA/password`, { password: 'seagrass' })
  for (const act of ['deactivate', 'activate']) await ida.post(`${USERS}/EVA/${act}`)
  await ida.post(`${USERS}/OLE/reset-password`)
  await ida.post('/api/admin/mail/test', { email: 'secret@pods.example' })
  await ida.delete(`${USERS}/eva`)
  const by = { id: expect.any(Number), at: '2025-03-02T11:00:00', actor: 'Ida', via: 'api' }
  expect(await noted()).toEqual([
    { ...by, action: 'user_created', user: 'Eva' },
    { ...by, action: 'admin_granted', user: 'Eva' },
    { ...by, action: 'admin_revoked', user: 'Eva' },
    { ...by, action: 'password_set', user: 'Eva' },
    { ...by, action: 'user_deactivated', user: 'Eva' },
    { ...by, action: 'user_activated', user: 'Eva' },
    { ...by, action: 'reset_mail_requested', user: 'ole' },
    { ...by, action: 'test_mail_sent', user: '' },
    { ...by, action: 'user_deleted', user: 'Eva' },
  ])
})

test.each([
  ['action=admin_granted', ['admin_granted Eva']],
  ['action=admin_granted,reset_mail_requested', ['admin_granted Eva', 'reset_mail_requested ole']],
  ['action=,', []],
  // More than there are is not looked at.
  [`action=${','.repeat(50)}admin_granted`, []],
  ['user=OLE', ['user_created ole', 'reset_mail_requested ole']],
  ['user=ole&action=reset_mail_requested', ['reset_mail_requested ole']],
  ['user=nobody', []],
  ['action=%27%20OR%201=1', []],
])('entries can be had by kind and by user: %s', async (query, expected) => {
  const { ida } = await open()
  await ida.post(USERS, { username: 'Eva', password: 'seashell' })
  await ida.post(`${USERS}/eva/role`, { is_admin: true })
  await ida.post(`${USERS}/ole/reset-password`)
  const { total, entries } = Object((await ida.get(`${AUDIT}?${query}`)).json)
  expect(entries.map(({ action, user }: Record<string, string>) => `${action} ${user}`).toReversed()).toEqual(expected)
  expect(total).toBe(expected.length)
})

test('a user is found as the one who acted, too', async () => {
  const { ida } = await open()
  await ida.post('/api/admin/mail/test', { email: 'ida@pods.example' })
  expect((await ida.get(`${AUDIT}?user=ida`)).json).toMatchObject({
    entries: [
      { action: 'test_mail_sent', actor: 'Ida' },
      { action: 'user_created', user: 'Ida' },
    ],
  })
})
