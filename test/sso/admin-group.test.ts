import { describe, expect, test } from 'bun:test'
import type { Claims } from '../../src/sso/openid-connect.ts'
import type { TestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { startLyingProvider } from '../support/lying-provider.ts'
import { comeIn, expectFailed, expectSignedIn, open } from './sign-ins.ts'

const ME = '/podcasts/api/2/me'
const AUDIT = '/podcasts/api/admin/audit'
const GROUP = { oidc_admin_group: 'podcast admins' }
const ida = { sub: '1', preferred_username: 'ida', email: 'ida@pods.example' }
const member = { ...ida, groups: ['crew', 'podcast admins'] }

async function isAdmin(app: TestApp, wanted: string): Promise<boolean | undefined> {
  return (await app.services.administration.list()).find(({ username }) => username === wanted)?.isAdmin
}

const auditOf = async (admin: Client) => (await admin.get(AUDIT)).json

describe('who is in the group of administrators', () => {
  test.each<[string, Claims, boolean]>([
    ['in a list', { groups: ['crew', 'podcast admins'] }, true],
    ['by the only name', { groups: 'podcast admins' }, true],
    ['not', { groups: ['crew'] }, false],
    ['in other letters', { groups: ['Podcast Admins'] }, false],
    ['by a part of the name', { groups: ['podcast', 'admins', 'podcast admins of others'] }, false],
    ['in a list of objects', { groups: [{ name: 'podcast admins' }] }, false],
    ['in a list of lists', { groups: [['podcast admins']] }, false],
    ['in no list', {}, false],
    ['under another claim', { roles: ['podcast admins'] }, false],
  ])('%s', async (_case, claims, expected) => {
    await using provider = startLyingProvider()
    const { app } = open(provider, GROUP)
    await signUp(app, 'eva')
    const { page, client } = await comeIn(app, provider, { ...ida, ...claims })
    expectSignedIn(page)
    expect((await client.get(ME)).json).toMatchObject({ is_admin: expected })
  })

  test('is what oidc_groups_claim says', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, { ...GROUP, oidc_groups_claim: 'https://id.example/roles' })
    await signUp(app, 'eva')
    await comeIn(app, provider, { ...ida, 'https://id.example/roles': ['podcast admins'] })
    expect(await isAdmin(app, 'ida')).toBe(true)
  })
})

describe('the role', () => {
  test('comes and goes with the group, at each sign-in', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, GROUP)
    await signUp(app, 'eva')
    for (const [person, expected] of [
      [ida, false],
      [member, true],
      [member, true],
      [ida, false],
    ] as const) {
      await comeIn(app, provider, person)
      expect(await isAdmin(app, 'ida')).toBe(expected)
    }
  })

  test('that comes and goes is in the audit log, and only then', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, GROUP)
    await signUp(app, 'eva')
    await comeIn(app, provider, member)
    const { client } = await comeIn(app, provider, member)
    const granted = { actor: '', via: 'single_sign_on', action: 'admin_granted', user: 'ida' }
    expect(await auditOf(client)).toMatchObject({ total: 2, entries: [granted, { action: 'user_created' }] })
    await comeIn(app, provider, ida)
    await app.services.administration.setAdmin('ida', true, { name: undefined, via: 'command_line' })
    expect(await auditOf(client)).toMatchObject({
      total: 4,
      entries: [{ via: 'command_line' }, { ...granted, action: 'admin_revoked' }, granted, {}],
    })
  })

  test('given by hand is taken back with the next sign-in: the group decides', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, GROUP)
    await signUp(app, 'eva')
    await comeIn(app, provider, ida)
    await app.services.administration.setAdmin('ida', true, { name: undefined, via: 'command_line' })
    await comeIn(app, provider, ida)
    expect(await isAdmin(app, 'ida')).toBe(false)
  })

  test('taken away is gone in sessions from before', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, GROUP)
    await signUp(app, 'eva')
    const { client } = await comeIn(app, provider, member)
    expect(await client.get(AUDIT)).toMatchObject({ status: 200 })
    await comeIn(app, provider, ida)
    expect(await client.get(AUDIT)).toMatchObject({ status: 403 })
  })

  test('of the last administrator stays, with a line in the log', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, GROUP)
    for (let n = 0; n < 2; n++) expectSignedIn((await comeIn(app, provider, ida)).page)
    expect(await isAdmin(app, 'ida')).toBe(true)
    const warnings = app.logs.map((line) => JSON.parse(line)).filter(({ level }) => level !== 'info')
    expect(warnings).toMatchObject([
      { level: 'warn', user: 'ida', group: 'podcast admins' },
      { level: 'warn', user: 'ida', group: 'podcast admins' },
    ])
  })

  test('goes from one administrator to the next, but never from all', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, GROUP)
    const ole = { sub: '2', preferred_username: 'ole' }
    await comeIn(app, provider, member)
    await comeIn(app, provider, { ...ole, groups: ['podcast admins'] })
    await comeIn(app, provider, ida)
    await comeIn(app, provider, ole)
    expect([await isAdmin(app, 'ida'), await isAdmin(app, 'ole')]).toEqual([false, true])
  })

  test('is not given to an account that may not sign in', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider, GROUP)
    await signUp(app, 'eva')
    await comeIn(app, provider, ida)
    await app.services.administration.setActive('ida', false, { name: undefined, via: 'command_line' })
    expectFailed((await comeIn(app, provider, member)).page, 'account_inactive')
    expect(await isAdmin(app, 'ida')).toBe(false)
  })

  test('has nothing to do with groups where no group is set', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    await signUp(app, 'eva')
    await comeIn(app, provider, { ...ida, groups: ['podcast admins', 'admin', 'undefined'] })
    expect(await isAdmin(app, 'ida')).toBe(false)
    await app.services.administration.setAdmin('ida', true, { name: undefined, via: 'command_line' })
    await comeIn(app, provider, ida)
    expect(await isAdmin(app, 'ida')).toBe(true)
  })
})
