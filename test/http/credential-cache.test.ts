import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Answer, basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { sessionCount } from './accounts.ts'
import { countingHasher } from './counting-hasher.ts'
import { expectRefusal } from './refusal.ts'

const TEN_MINUTES = 600

/** Administrator ida and ole; `client` sends ole's password with every request and keeps no cookies (Clementine, scripts). */
async function open() {
  const { hasher, verified } = countingHasher()
  const app = startTestApp({ hasher })
  // The cache takes an entry made at zero for one without an end.
  app.clock.advance(1)
  const ida = await signUp(app)
  const client = await signUp(app, 'ole', 'driftwood')
  return { app, ida, client, verified }
}

const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))]

/** The answer's cookie, or undefined. */
const tokenOf = ({ headers }: Answer) => /sessionid=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1]

describe('many requests with the same password', () => {
  test('cost one hash and one session when they come at once', async () => {
    const { app, client, verified } = await open()
    const answers = await Promise.all(Array.from({ length: 9 }, () => client.get('/api/2/devices/ole.json')))
    expect(statuses(answers)).toEqual([200])
    expect(verified()).toBe(1)
    expect(sessionCount(app, 'ole')).toBe(1)
  })

  test('share the hash among apps, but each app, told by its name and address, has a session of its own', async () => {
    const { app, client, verified } = await open()
    const read = (agent: string) => client.get('/api/2/me', { headers: { 'user-agent': agent } })
    const tokens: (string | undefined)[] = []
    for (let n = 0; n < 3; n++) tokens.push(tokenOf(await read('Clementine')), tokenOf(await read('Kasts/24')))
    app.setPeer('198.51.100.7')
    for (let n = 0; n < 3; n++) tokens.push(tokenOf(await read('Kasts/24')))
    expect(new Set(tokens).size).toBe(3)
    expect([verified(), sessionCount(app, 'ole')]).toEqual([1, 3])
  })

  test('cost a hash again after ten minutes, whether used in between or not', async () => {
    const { app, client, verified } = await open()
    await client.get('/api/2/me')
    app.clock.advance(TEN_MINUTES - 1)
    await client.get('/api/2/me')
    expect(verified()).toBe(1)
    app.clock.advance(2)
    await client.get('/api/2/me')
    expect(verified()).toBe(2)
  })

  test('get a new session when theirs has ended meanwhile, still without a hash', async () => {
    const { app, client, verified } = await open()
    const first = await client.get('/api/2/me')
    await clientOf(app, cookieOf(first)).post('/api/2/auth/ole/logout.json')
    const second = await client.get('/api/2/me')
    expect(tokenOf(second)).not.toBe(tokenOf(first))
    expect(await clientOf(app, cookieOf(second)).get('/api/2/me')).toMatchObject({ status: 200 })
    expect([verified(), sessionCount(app, 'ole')]).toEqual([1, 1])
  })
})

describe('what is not remembered', () => {
  test('nothing of one user serves another, nor a password that only begins the same', async () => {
    const { app, client } = await open()
    await client.get('/api/2/me')
    for (const [name, password] of [
      ['ida', 'driftwood'],
      ['ole', 'driftwoo'],
      ['ole', 'driftwood '],
      ['oledrift', 'wood'],
    ] as const) {
      expectRefusal(await clientOf(app, basic(name, password)).get('/api/2/me'), 401, 'invalid_credentials')
    }
  })
})

describe('what was remembered is worth nothing', () => {
  test.each([
    ['the user changes the password', 'me'],
    ['an administrator sets it', 'set'],
  ])('after %s', async (_case, how) => {
    const { app, client, verified } = await open()
    await client.get('/api/2/me')
    if (how === 'set') await app.services.administration.setPassword('ole', 'seagrass', COMMAND_LINE)
    else {
      const change = { old_password: 'driftwood', new_password: 'seagrass' }
      expect(await client.post('/api/2/me/password', change)).toMatchObject({ status: 200 })
    }
    expectRefusal(await client.get('/api/2/me'), 401, 'invalid_credentials')
    const before = verified()
    expect(await clientOf(app, basic('ole', 'seagrass')).get('/api/2/me')).toMatchObject({ status: 200 })
    expect(verified()).toBe(before + 1)
  })

  test('after the account was deactivated, and again something when it is active again', async () => {
    const { app, client } = await open()
    await client.get('/api/2/me')
    await app.services.administration.setActive('ole', false, COMMAND_LINE)
    expectRefusal(await client.get('/api/2/me'), 403, 'account_inactive')
    expectRefusal(await client.post('/api/2/auth/ole/login.json'), 403, 'account_inactive')
    await app.services.administration.setActive('ole', true, COMMAND_LINE)
    const answer = await client.get('/api/2/me')
    expect(answer.status).toBe(200)
    expect(await clientOf(app, cookieOf(answer)).get('/api/2/me')).toMatchObject({ status: 200 })
  })

  test('in the next run of the program, unlike the cookie', async () => {
    const { app, client, verified } = await open()
    const cookie = cookieOf(await client.get('/api/2/me'))
    const { hasher, verified: verifiedAgain } = countingHasher()
    await app.idle()
    const restarted = startTestApp({ hasher, db: app.db, clock: app.clock })
    expect(await clientOf(restarted, cookie).get('/api/2/me')).toMatchObject({ status: 200 })
    expect(verifiedAgain()).toBe(0)
    // Both runs draw the same random numbers here: make room for a session of the same token.
    app.db.run('DELETE FROM sessions')
    expect(await clientOf(restarted, basic('ole', 'driftwood')).get('/api/2/me')).toMatchObject({ status: 200 })
    expect([verified(), verifiedAgain()]).toEqual([1, 1])
  })
})
