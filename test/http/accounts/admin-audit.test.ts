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

/** Administrator Ida, and ole with an email address. */
async function open() {
  const app = startTestApp({ settings: { registration: 'invite' }, mailer: outbox().mailer })
  const ida = await signUp(app, 'Ida')
  const ole = await signUp(app, 'ole', 'driftwood', 'ole@pods.example')
  const { length } = await entriesOf(ida)
  /** Entries since then, oldest first. */
  const newEntries = async () => (await entriesOf(ida)).toReversed().slice(length)
  return { app, ida, ole, newEntries }
}

test('the default page has the newest twenty entries', async () => {
  const { ida } = await open()
  for (let n = 1; n <= 19; n++) await ida.post(USERS, { username: `u${n}`, password: 'pebbles' })
  // Ida and ole were created on the command line.
  const { entries, ...page } = Object((await ida.get(AUDIT)).json)
  expect(page).toEqual({ page: 0, per_page: 20, total: 21, total_pages: 2 })
  const newest = Array.from({ length: 19 }, (_, n) => `u${19 - n}`)
  expect(entries.map(({ user }: { user: string }) => user)).toEqual([...newest, 'ole'])
})

test('entries have the action of an administrator, actor, user, time and origin', async () => {
  const { app, ida, newEntries } = await open()
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
  expect(await newEntries()).toEqual(
    [
      ['user_created', 'Eva'],
      ['admin_granted', 'Eva'],
      ['admin_revoked', 'Eva'],
      ['password_set', 'Eva'],
      ['user_deactivated', 'Eva'],
      ['user_activated', 'Eva'],
      ['reset_mail_requested', 'ole'],
      ['test_mail_sent', ''],
      ['user_deleted', 'Eva'],
    ].map(([action, user]) => ({ ...by, action, user })),
  )
})

test.each([
  ['action=admin_granted,reset_mail_requested', ['admin_granted Eva', 'reset_mail_requested ole']],
  ['action=,', []],
  // There are fewer than 50 actions, so the rest is ignored.
  [`action=${','.repeat(50)}admin_granted`, []],
  ['user=OLE', ['user_created ole', 'reset_mail_requested ole']],
  // Matches the actor, too.
  ['user=ida', ['user_created Ida', 'user_created Eva', 'admin_granted Eva', 'reset_mail_requested ole']],
  ['user=ole&action=reset_mail_requested', ['reset_mail_requested ole']],
  ['action=%27%20OR%201=1', []],
])('entries are filtered by %s', async (query, expected) => {
  const { ida } = await open()
  await ida.post(USERS, { username: 'Eva', password: 'seashell' })
  await ida.post(`${USERS}/eva/role`, { is_admin: true })
  await ida.post(`${USERS}/ole/reset-password`)
  const { total, entries } = Object((await ida.get(`${AUDIT}?${query}`)).json)
  expect(entries.map(({ action, user }: Record<string, string>) => `${action} ${user}`).toReversed()).toEqual(expected)
  expect(total).toBe(expected.length)
})
