import { describe, expect, test } from 'bun:test'
import { MailFailure } from '../../src/domain/accounts/mail.ts'
import { startTestApp } from '../support/app.ts'
import { clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { outbox } from './accounts.ts'
import { expectRefusal } from './refusal.ts'

const AUDIT = '/api/admin/audit'
const USERS = '/api/admin/users'
const EVERYTHING = `${AUDIT}?per_page=100`

/** Administrator Ida, and ole, an address of whose is known. */
async function open(mailer = outbox().mailer) {
  const app = startTestApp({ settings: { registration: 'invite' }, mailer })
  const ida = await signUp(app, 'Ida')
  await app.services.administration.create(
    { username: 'ole', password: 'driftwood', email: 'ole@pods.example' },
    false,
    COMMAND_LINE,
  )
  const { length } = await entriesOf(ida)
  /** What was noted since then, oldest first. */
  const noted = async () => (await entriesOf(ida)).toReversed().slice(length)
  return { app, ida, ole: clientOf(app, { authorization: `Basic ${btoa('ole:driftwood')}` }), noted }
}

async function entriesOf(client: ReturnType<typeof clientOf>): Promise<unknown[]> {
  const { json } = await client.get(EVERYTHING)
  if (typeof json !== 'object' || json === null || !('entries' in json) || !Array.isArray(json.entries))
    throw new Error('no page of entries')
  return json.entries
}

describe('a page of the audit log', () => {
  /** Thirty-two entries: Ida made herself and ole at the command line, then thirty accounts, one a minute. */
  async function openFull() {
    const scene = await open()
    for (let n = 1; n <= 30; n++) {
      scene.app.clock.advance(60)
      await scene.ida.post(USERS, { username: `u${n}`, password: 'pebbles' })
    }
    return scene
  }

  test('has the newest twenty entries unless one asks for others', async () => {
    const { ida } = await openFull()
    const answer = await ida.get(AUDIT)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
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
})

describe('what an administrator does is noted', () => {
  test('with who, when, how and to whom', async () => {
    const { app, ida, noted } = await open()
    const browser = clientOf(app, cookieOf(await ida.post('/api/2/auth/ida/login.json')))
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

  test('and stays when the administrator is deleted', async () => {
    const { app, ida, ole } = await open()
    await ida.post(`${USERS}/ole/role`, { is_admin: true })
    await ole.delete(`${USERS}/ida`)
    await app.idle()
    expect(await entriesOf(ole)).toMatchObject([
      { actor: 'ole', action: 'user_deleted', user: 'Ida' },
      { actor: 'Ida', action: 'admin_granted', user: 'ole' },
      { actor: '', action: 'user_created', user: 'ole' },
      { actor: '', action: 'user_created', user: 'Ida' },
    ])
  })

  test('at the command line, too, where no account acts', async () => {
    const { app, noted } = await open()
    const { administration } = app.services
    await administration.create({ username: 'eva', password: 'seashell', email: '' }, true, COMMAND_LINE)
    await administration.setPassword('eva', 'seagrass', COMMAND_LINE)
    await administration.setAdmin('eva', false, COMMAND_LINE)
    await administration.setAdmin('eva', true, COMMAND_LINE)
    await administration.setActive('eva', false, COMMAND_LINE)
    await administration.setActive('eva', true, COMMAND_LINE)
    await administration.sendReset('ole', COMMAND_LINE)
    await administration.sendTestMail('ida@pods.example', COMMAND_LINE)
    await administration.remove('eva', COMMAND_LINE)
    const by = { id: expect.any(Number), at: '2025-03-02T10:00:00', actor: '', via: 'command_line' }
    expect(await noted()).toEqual([
      { ...by, action: 'user_created', user: 'eva' },
      { ...by, action: 'password_set', user: 'eva' },
      { ...by, action: 'admin_revoked', user: 'eva' },
      { ...by, action: 'admin_granted', user: 'eva' },
      { ...by, action: 'user_deactivated', user: 'eva' },
      { ...by, action: 'user_activated', user: 'eva' },
      { ...by, action: 'reset_mail_requested', user: 'ole' },
      { ...by, action: 'test_mail_sent', user: '' },
      { ...by, action: 'user_deleted', user: 'eva' },
    ])
  })

  test('and by the groups of a provider, where no account acts either', async () => {
    const { app, noted } = await open()
    await app.services.administration.setAdmin('ole', true, { name: undefined, via: 'single_sign_on' })
    expect(await noted()).toMatchObject([{ actor: '', via: 'single_sign_on', action: 'admin_granted', user: 'ole' }])
  })
})

describe('nothing is noted of', () => {
  test('an act that was refused', async () => {
    const { app, ida, ole, noted } = await open()
    const eva = { username: 'eva', password: 'seashell' }
    const refused = [
      await ole.post(USERS, eva),
      await clientOf(app).delete(`${USERS}/ole`),
      await ida.post(USERS, { ...eva, password: 'abc' }),
      await ida.post(USERS, { ...eva, username: 'OLE' }),
      await ida.post(USERS, { ...eva, email: 'ole@pods.example' }),
      await ida.delete(`${USERS}/nobody`),
      await ida.delete(`${USERS}/ida`),
      await ida.post(`${USERS}/ida/deactivate`),
      await ida.post(`${USERS}/ida/role`, { is_admin: false }),
      await ida.post(`${USERS}/nobody/role`, { is_admin: true }),
      await ida.post(`${USERS}/ole/role`, {}),
      await ida.post(`${USERS}/nobody/activate`),
      await ida.post(`${USERS}/ole/password`, { password: 'abc' }),
      await ida.post(`${USERS}/nobody/password`, { password: 'seagrass' }),
      await ida.post(`${USERS}/ida/reset-password`),
      await ida.post('/api/admin/mail/test', { email: 'nobody' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([
      403, 401, 400, 409, 409, 404, 409, 409, 409, 404, 400, 404, 400, 404, 409, 400,
    ])
    expect(await noted()).toEqual([])
  })

  test('a test mail that the mail server refused', async () => {
    const send = async () => {
      throw new MailFailure('server', 'the mail server is closed on Sundays')
    }
    const { ida, noted } = await open({ send })
    expectRefusal(await ida.post('/api/admin/mail/test', { email: 'ida@pods.example' }), 502, 'mail_failed')
    expect(await noted()).toEqual([])
  })
})
