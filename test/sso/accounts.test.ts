import { describe, expect, test } from 'bun:test'
import type { Claims } from '../../src/sso/openid-connect.ts'
import { names } from '../http/accounts.ts'
import type { TestApp } from '../support/app.ts'
import { openBrowser } from '../support/browser.ts'
import { basic, clientOf } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { type Lies, startLyingProvider } from '../support/lying-provider.ts'
import { CALLBACK, expectFailed, expectSignedIn, LOGIN, ME, open, withProvider } from './scene.ts'

const AUDIT = '/podcasts/api/admin/audit'
const ida = { sub: '1', preferred_username: 'ida', email: 'ida@pods.example', email_verified: true }
const ole = { sub: '2', preferred_username: 'ole', email: 'ole@pods.example' }
const withEva = { hasEva: true }

test('an account stays as it was made, whatever else changes at the provider', () =>
  withProvider(withEva, async ({ app, comeIn }) => {
    await comeIn(ida)
    const changed = { sub: '1', preferred_username: 'countess', email: 'eva@pods.example', email_verified: true }
    const { page, client } = await comeIn(changed)
    expectSignedIn(page)
    expect((await client.get(ME)).json).toMatchObject({ username: 'ida', email: 'ida@pods.example', is_admin: false })
    expect(await names(app)).toEqual(['eva', 'ida'])
  }))

describe('an email address proves nothing', () => {
  test.each([
    ['between spaces', ' eva@pods.example ', true, 'active'],
    ['of an account that is not active', 'eva@pods.example', true, 'inactive'],
  ])('that of a local account, %s, leads to email_taken and to no link', (_case, email, email_verified, state) =>
    withProvider(withEva, async ({ app, comeIn }) => {
      app.db.run('UPDATE users SET state = ?', [state])
      for (let n = 0; n < 2; n++) expectFailed((await comeIn({ sub: '9', email, email_verified })).page, 'email_taken')
      expect([await names(app), app.db.query('SELECT * FROM identities').all()]).toEqual([['eva'], []])
    }),
  )

  test.each<[string, Claims, string]>([
    ['a verified one', { email: ida.email, email_verified: true }, ida.email],
    ['one nobody says anything about', { email: ida.email }, ''],
    ['one fit to split headers', { email: `${ida.email}\r\nBcc: eva@pods.example`, email_verified: true }, ''],
  ])('a new account with %s', (_case, claims, email) =>
    withProvider({}, async ({ comeIn }) => {
      const { client } = await comeIn({ sub: '1', ...claims })
      expect((await client.get(ME)).json).toMatchObject({ email })
    }),
  )
})

describe('the state of the account decides', () => {
  test.each([
    ['inactive', 'account_inactive'],
    ['pending_activation', 'account_pending'],
  ])('%s ends with %s, and active again lets in', (state, code) =>
    withProvider(withEva, async ({ app, comeIn }) => {
      await comeIn(ida)
      app.db.run(`UPDATE users SET state = ? WHERE username_key = 'ida'`, [state])
      expectFailed((await comeIn(ida)).page, code)
      await app.services.administration.setActive('ida', true, COMMAND_LINE)
      expectSignedIn((await comeIn(ida)).page)
      expect(await names(app)).toEqual(['eva', 'ida'])
    }),
  )
})

describe('an account for an unknown identity', () => {
  test.each<[registration: string, autoCreate: string | undefined, isMade: boolean]>([
    ['closed', undefined, false],
    ['invite', undefined, true],
    ['closed', 'true', true],
    ['open', 'false', false],
  ])('registration %s, oidc_auto_create %s: made is %p, the first one always', async (registration, auto, isMade) => {
    await using provider = startLyingProvider()
    const { oidc_auto_create: _, ...known } = provider.settings
    const settings = { ...known, registration, ...(auto !== undefined && { oidc_auto_create: auto }) }
    const { browser, clientIn, signIn } = open(settings)
    expectSignedIn(await browser.visit(LOGIN))
    expect((await clientIn(browser).get(ME)).json).toMatchObject({ username: 'ida', is_admin: true, is_active: true })
    provider.person = ole
    const page = await signIn()
    if (isMade) expectSignedIn(page)
    else expectFailed(page, 'registration_closed')
  })

  test('makes one administrator, though several people who are called alike come back at once', () =>
    withProvider({}, async ({ app, provider }) => {
      const ways = []
      for (const sub of ['1', '1', '2', '3']) {
        provider.person = { sub, preferred_username: 'ida' }
        const browser = openBrowser(app)
        const { headers } = await browser.visit(LOGIN, { stopBefore: CALLBACK })
        ways.push(() => browser.visit(headers.get('location') ?? ''))
      }
      for (const page of await Promise.all(ways.map((comeBack) => comeBack()))) expectSignedIn(page)
      const people = await app.services.administration.list()
      expect(people.map(({ username }) => username)).toEqual(['ida', 'ida-2', 'ida-3'])
      expect(people.filter(({ isAdmin }) => isAdmin)).toHaveLength(1)
    }))
})

describe('the group of administrators', () => {
  const settings = { oidc_admin_group: 'podcast admins' }
  const inGroup = { ...ida, groups: ['crew', 'podcast admins'] }
  const isAdmin = async (app: TestApp, wanted = 'ida') =>
    (await app.services.administration.list()).find(({ username }) => username === wanted)?.isAdmin

  test.each<[string, Claims, boolean, Record<string, string>]>([
    ['in a list', { groups: ['crew', 'podcast admins'] }, true, {}],
    ['in other letters', { groups: ['Podcast Admins'] }, false, {}],
    ['by a path', { a: { roles: ['podcast admins'] } }, true, { oidc_groups_claim: 'a.roles' }],
    ['where no group is set', { groups: ['podcast admins', 'undefined'] }, false, { oidc_admin_group: '' }],
  ])('is told %s', (_case, claims, expected, more) =>
    withProvider({ hasEva: true, settings: { ...settings, ...more } }, async ({ comeIn }) => {
      const { page, client } = await comeIn({ ...ida, ...claims })
      expectSignedIn(page)
      expect((await client.get(ME)).json).toMatchObject({ is_admin: expected })
    }),
  )

  test('gives and takes the role at each sign-in, whatever was given by hand, as the audit log shows', () =>
    withProvider({ hasEva: true, settings }, async ({ app, comeIn }) => {
      const eva = clientOf(app, basic('eva', 'seaglass'))
      const { client } = await comeIn(inGroup)
      const still = await comeIn(inGroup)
      expect([await isAdmin(app), (await client.get(AUDIT)).status]).toEqual([true, 200])
      const former = await comeIn(ida)
      // The page says so, once.
      const after = await comeIn(ida)
      for (const { page } of [still, after]) expectSignedIn(page)
      expectSignedIn(former.page, '/#role-removed')
      // In sessions from before as well.
      expect([await isAdmin(app), (await client.get(AUDIT)).status]).toEqual([false, 403])
      await app.services.administration.setAdmin('ida', true, COMMAND_LINE)
      await comeIn(ida)
      expect(await isAdmin(app)).toBe(false)
      const by = { actor: '', via: 'single_sign_on', user: 'ida' }
      const revoked = { ...by, action: 'admin_revoked' }
      const granted = { ...by, action: 'admin_granted' }
      expect((await eva.get(AUDIT)).json).toMatchObject({
        entries: [revoked, { ...granted, via: 'command_line' }, revoked, granted, { action: 'user_created' }],
      })
    }))

  test('takes the role from one administrator after the other, but the last keeps it, with a line in the log', () =>
    withProvider({ settings }, async ({ app, comeIn, logged }) => {
      await comeIn(inGroup)
      await comeIn({ ...ole, groups: ['podcast admins'] })
      expectSignedIn((await comeIn(ida)).page, '/#role-removed')
      expectSignedIn((await comeIn(ole)).page)
      expect([await isAdmin(app), await isAdmin(app, 'ole')]).toEqual([false, true])
      expect(logged()).toContainEqual(expect.objectContaining({ level: 'warn', user: 'ole', group: 'podcast admins' }))
    }))

  test.each<[string, Claims, RegExp]>([
    ['is missing', {}, /claim groups is missing/],
    ['cannot be read', { groups: [7] }, /claim groups cannot be read/],
  ])('takes the role when the claim %s, and says so in the log and in the test', (_case, claims, words) =>
    withProvider({ hasEva: true, settings }, async ({ app, comeIn, logged }) => {
      const eva = clientOf(app, basic('eva', 'seaglass'))
      const test = async () => (await eva.post('/podcasts/api/admin/sso/test')).json
      await comeIn(inGroup)
      expect(await test()).toEqual({ ok: true, cause: '' })
      await comeIn({ ...ida, ...claims })
      expect(await isAdmin(app)).toBe(false)
      const msg = expect.stringMatching(words)
      expect(logged()).toContainEqual(expect.objectContaining({ level: 'warn', msg, user: 'ida' }))
      expect(await test()).toEqual({ ok: true, cause: msg })
      await comeIn(inGroup)
      expect(await test()).toEqual({ ok: true, cause: '' })
    }),
  )

  test('is read from userinfo where the ID token has a part of the object', () => {
    const lies: Lies = { claims: (truth) => ({ ...truth, realm: {} }) }
    const more = { ...settings, oidc_groups_claim: 'realm.roles' }
    return withProvider({ hasEva: true, settings: more, lies }, async ({ app, comeIn }) => {
      await comeIn({ ...ida, realm: { roles: ['podcast admins'] } })
      expect(await isAdmin(app)).toBe(true)
    })
  })

  test('has no say where none is set', () =>
    withProvider(withEva, async ({ app, comeIn }) => {
      await comeIn(ida)
      await app.services.administration.setAdmin('ida', true, COMMAND_LINE)
      await comeIn(ida)
      expect(await isAdmin(app)).toBe(true)
    }))
})
