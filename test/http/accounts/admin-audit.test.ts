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
  const { ida } = await open()
  for (let n = 1; n <= 19; n++) await ida.post(USERS, { username: `u${n}`, password: 'pebbles' })
  // Ida made herself and ole at the command line.
  const { entries, ...page } = Object((await ida.get(AUDIT)).json)
  expect(page).toEqual({ page: 0, per_page: 20, total: 21, total_pages: 2 })
  const newest = Array.from({ length: 19 }, (_, n) => `u${19 - n}`)
  expect(entries.map(({ user }: { user: string }) => user)).toEqual([...newest, 'ole'])
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
  expect(await noted()).toEqual(
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
  // More than there are is not looked at.
  [`action=${','.repeat(50)}admin_granted`, []],
  ['user=OLE', ['user_created ole', 'reset_mail_requested ole']],
  // As the one who acted, too.
  ['user=ida', ['user_created Ida', 'user_created Eva', 'admin_granted Eva', 'reset_mail_requested ole']],
  ['user=ole&action=reset_mail_requested', ['reset_mail_requested ole']],
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
