import { describe, expect, test } from 'bun:test'
import type { Claims } from '../../src/sso/openid-connect.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { BASE_URL, openBrowser } from '../support/browser.ts'
import { basic, clientOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { type LyingProvider, startLyingProvider } from '../support/lying-provider.ts'
import { comeIn, expectFailed, expectSignedIn, names, open } from './sign-ins.ts'

const ME = '/podcasts/api/2/me'
const ida = { sub: '1', preferred_username: 'ida', email: 'ida@pods.example', email_verified: true }
const ole = { sub: '2', preferred_username: 'ole', email: 'ole@pods.example' }

/** Administrator eva, who has a password and an address. */
async function addEva(app: TestApp): Promise<void> {
  const eva = { username: 'eva', password: 'seaglass', email: 'Eva@Pods.example' }
  await app.services.administration.create(eva, true, COMMAND_LINE)
}

/** The callbacks of several sign-ins, at once. */
async function comeInAtOnce(app: TestApp, provider: LyingProvider, people: readonly Claims[]) {
  const ways = []
  for (const person of people) {
    provider.person = person
    const browser = openBrowser(app)
    const { headers } = await browser.visit('/auth/sso/login', { stopBefore: `${BASE_URL}/auth/sso/callback` })
    ways.push({ browser, address: headers.get('location') ?? '' })
  }
  return Promise.all(ways.map(({ browser, address }) => browser.visit(address)))
}

describe('an identity is known by issuer and subject', () => {
  test('whatever else changes at the provider: the account stays as it was made', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    await addEva(app)
    await comeIn(app, provider, ida)
    const changed = { sub: '1', preferred_username: 'countess', email: 'eva@pods.example', email_verified: true }
    const { page, client } = await comeIn(app, provider, changed)
    expectSignedIn(page)
    expect((await client.get(ME)).json).toMatchObject({ username: 'ida', email: 'ida@pods.example', is_admin: false })
    expect(await names(app)).toEqual(['eva', 'ida'])
  })

  test('so that the same subject at another provider is somebody else', async () => {
    await using provider = startLyingProvider()
    await using another = startLyingProvider()
    const { app } = open(provider)
    const { browser } = await comeIn(app, provider, { sub: '1', preferred_username: 'ida' })
    await browser.visit('/auth/sso/logout', { form: {} })
    const moved = startTestApp({ settings: another.settings, db: app.db })
    const { client } = await comeIn(moved, another, { sub: '1', preferred_username: 'ida' })
    expect((await client.get(ME)).json).toMatchObject({ username: 'ida-2', is_admin: false })
  })

  test('so that subjects that differ in case are two people', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    for (const sub of ['a', 'A']) await comeIn(app, provider, { sub })
    expect(await names(app)).toEqual(['user', 'user-2'])
  })
})

describe('an email address proves nothing', () => {
  test.each([
    ['the same address', 'Eva@Pods.example', true],
    ['the address in other letters', 'EVA@pods.EXAMPLE', true],
    ['the address, unverified', 'eva@pods.example', false],
    ['the address between spaces', ' eva@pods.example ', true],
  ])('%s as a local account leads to email_taken and to no link', async (_case, email, email_verified) => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    await addEva(app)
    for (let n = 0; n < 2; n++)
      expectFailed((await comeIn(app, provider, { sub: '9', email, email_verified })).page, 'email_taken')
    const eva = clientOf(app, basic('eva', 'seaglass'))
    expect((await eva.get('/podcasts/api/2/me/identities')).json).toEqual([])
    expect(await names(app)).toEqual(['eva'])
  })

  test('not even while nobody else is active: a deactivated account keeps its address', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    await addEva(app)
    app.db.run(`UPDATE users SET state = 'inactive'`)
    expectFailed((await comeIn(app, provider, { sub: '9', email: 'eva@pods.example' })).page, 'email_taken')
  })

  test.each<[string, Claims, string]>([
    ['a verified one', { email: 'ida@pods.example', email_verified: true }, 'ida@pods.example'],
    ['one said to be verified in words', { email: 'ida@pods.example', email_verified: 'true' }, 'ida@pods.example'],
    ['one nobody says anything about', { email: 'ida@pods.example' }, ''],
    ['one that is verified by a number', { email: 'ida@pods.example', email_verified: 1 }, ''],
    ['an unverified one', { email: 'ida@pods.example', email_verified: false }, ''],
    ['one said to be unverified in words', { email: 'ida@pods.example', email_verified: 'false' }, ''],
    ['none', {}, ''],
    ['something else', { email: 'ida at pods', email_verified: true }, ''],
    ['one fit to split headers', { email: 'ida@pods.example\r\nBcc: eva@pods.example', email_verified: true }, ''],
    ['a list of them', { email: ['ida@pods.example'], email_verified: true }, ''],
  ])('a new account with %s', async (_case, claims, email) => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const { page, client } = await comeIn(app, provider, { sub: '1', ...claims })
    expectSignedIn(page)
    expect((await client.get(ME)).json).toMatchObject({ email })
  })
})

describe('the state of the account decides', () => {
  test.each([
    ['inactive', 'account_inactive'],
    ['pending_activation', 'account_pending'],
  ])('%s ends with %s, and active again lets in', async (state, word) => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    await addEva(app)
    await comeIn(app, provider, ida)
    app.db.run(`UPDATE users SET state = ? WHERE username_key = 'ida'`, [state])
    expectFailed((await comeIn(app, provider, ida)).page, word)
    await app.services.administration.setActive('ida', true, COMMAND_LINE)
    expectSignedIn((await comeIn(app, provider, ida)).page)
    expect(await names(app)).toEqual(['eva', 'ida'])
  })

  test('a deleted account is forgotten: the identity is a new one', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    await addEva(app)
    const { client } = await comeIn(app, provider, ida)
    await app.services.administration.remove('ida', COMMAND_LINE)
    expect(await client.get(ME)).toMatchObject({ status: 401 })
    expectSignedIn((await comeIn(app, provider, ida)).page)
    expect(await names(app)).toEqual(['eva', 'ida'])
  })
})

describe('an account for an unknown identity', () => {
  const CASES: [registration: string, autoCreate: string | undefined, isMade: boolean][] = [
    ['closed', undefined, false],
    ['invite', undefined, true],
    ['open', undefined, true],
    ['closed', 'true', true],
    ['open', 'false', false],
  ]

  /** A podstep with these settings, where `oidc_auto_create` may be left out. */
  function openWith({ settings }: LyingProvider, registration: string, autoCreate: string | undefined): TestApp {
    const { oidc_auto_create: _, ...rest } = settings
    return startTestApp({
      settings: { ...rest, registration, ...(autoCreate !== undefined && { oidc_auto_create: autoCreate }) },
    })
  }

  test.each(CASES)('registration %s, oidc_auto_create %s: made is %p', async (registration, autoCreate, isMade) => {
    await using provider = startLyingProvider()
    const app = openWith(provider, registration, autoCreate)
    await addEva(app)
    const { page, client } = await comeIn(app, provider, ida)
    if (!isMade) return expectFailed(page, 'registration_closed')
    expectSignedIn(page)
    expect((await client.get(ME)).json).toMatchObject({ username: 'ida', is_admin: false, is_active: true })
  })

  test.each(CASES)('the first one is always made, and administrator: %s, %s', async (registration, autoCreate) => {
    await using provider = startLyingProvider()
    const app = openWith(provider, registration, autoCreate)
    const { page, client } = await comeIn(app, provider, ida)
    expectSignedIn(page)
    expect((await client.get(ME)).json).toMatchObject({ username: 'ida', is_admin: true, is_active: true })
  })

  test('is made once, though its first two sign-ins come back at once', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    for (const page of await comeInAtOnce(app, provider, [ida, ida])) expectSignedIn(page)
    expect(await names(app)).toEqual(['ida'])
  })

  test('makes one administrator, though two first people come back at once', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    for (const page of await comeInAtOnce(app, provider, [ida, ole])) expectSignedIn(page)
    const people = await app.services.administration.list()
    expect([people.length, people.filter(({ isAdmin }) => isAdmin).length]).toEqual([2, 1])
  })
})

describe('the name of a new account', () => {
  test.each<[string, Claims, string]>([
    ['is the one the provider prefers', { preferred_username: 'Ole.B' }, 'Ole.B'],
    ['is what stands before the @ of one that is an address', { preferred_username: 'ole@home.example' }, 'ole'],
    ['is taken from the address else', { email: 'ole.b@pods.example' }, 'ole.b'],
    ['is user, where there is nothing to take', {}, 'user'],
    ['gets a number where it is taken', { preferred_username: 'ida' }, 'ida-2'],
    ['gets a number where it is taken in other letters', { preferred_username: 'IDA' }, 'IDA-2'],
    ['is never current', { preferred_username: 'current', email: 'ole@pods.example' }, 'ole'],
  ])('%s', async (_case, claims, username) => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    await signUp(app)
    const { client } = await comeIn(app, provider, { sub: '2', ...claims })
    expect((await client.get(ME)).json).toMatchObject({ username })
  })

  test('counts on where several people are called alike, and at once too', async () => {
    await using provider = startLyingProvider()
    const { app } = open(provider)
    const people = ['1', '2', '3', '4'].map((sub) => ({ sub, preferred_username: 'ida' }))
    for (const page of await comeInAtOnce(app, provider, people)) expectSignedIn(page)
    expect(await names(app)).toEqual(['ida', 'ida-2', 'ida-3', 'ida-4'])
  })
})
