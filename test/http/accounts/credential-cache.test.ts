import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Answer, basic, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { countingHasher, sessionCount } from '../accounts.ts'
import { expectError } from '../error.ts'

const ME = '/api/2/me'

/** Administrator ida and ole; `client` sends ole's password with every request and keeps no cookies (Clementine, scripts). */
async function open() {
  const { hasher, verified } = countingHasher()
  const app = startTestApp({ hasher })
  // The cache takes a value set at zero for one without an end.
  app.clock.advance(1)
  await signUp(app)
  const client = await signUp(app, 'ole', 'driftwood')
  return { app, client, verified }
}

/** The answer's cookie, or undefined. */
const tokenOf = ({ headers }: Answer) => /sessionid=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1]

describe('many requests with the same password', () => {
  test('cost one hash and one session when they come at once', async () => {
    const { app, client, verified } = await open()
    const answers = await Promise.all(Array.from({ length: 9 }, () => client.get('/api/2/devices/ole.json')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect([verified(), sessionCount(app, 'ole')]).toEqual([1, 1])
  })

  test('share the hash among apps, but each app, told by its name and address, has a session of its own', async () => {
    const { app, client, verified } = await open()
    const read = (agent: string) => client.get(ME, { headers: { 'user-agent': agent } })
    const tokens: (string | undefined)[] = []
    for (let n = 0; n < 3; n++) tokens.push(tokenOf(await read('Clementine')), tokenOf(await read('Kasts/24')))
    app.setPeer('198.51.100.7')
    for (let n = 0; n < 3; n++) tokens.push(tokenOf(await read('Kasts/24')))
    expect([new Set(tokens).size, verified(), sessionCount(app, 'ole')]).toEqual([3, 1, 3])
  })

  test('get a new session when theirs has ended meanwhile, still without a hash', async () => {
    const { app, client, verified } = await open()
    const first = await client.get(ME)
    await clientOf(app, cookieOf(first)).post('/api/2/auth/ole/logout.json')
    const second = await client.get(ME)
    expect(tokenOf(second)).not.toBe(tokenOf(first))
    expect(await clientOf(app, cookieOf(second)).get(ME)).toMatchObject({ status: 200 })
    expect([verified(), sessionCount(app, 'ole')]).toEqual([1, 1])
  })
})

describe('what was remembered is worth nothing', () => {
  test.each(['the user changes the password', 'an administrator sets it'])('after %s', async (how) => {
    const { app, client, verified } = await open()
    await client.get(ME)
    if (how === 'an administrator sets it')
      await app.services.administration.setPassword('ole', 'seagrass', COMMAND_LINE)
    else await client.post('/api/2/me/password', { old_password: 'driftwood', new_password: 'seagrass' })
    expectError(await client.get(ME), 401, 'invalid_credentials')
    const before = verified()
    expect(await clientOf(app, basic('ole', 'seagrass')).get(ME)).toMatchObject({ status: 200 })
    expect(verified()).toBe(before + 1)
  })

  test('in the next run of the program, unlike the cookie', async () => {
    const { app, client } = await open()
    const cookie = cookieOf(await client.get(ME))
    const { hasher, verified } = countingHasher()
    await app.idle()
    const restarted = startTestApp({ hasher, db: app.db, clock: app.clock })
    expect(await clientOf(restarted, cookie).get(ME)).toMatchObject({ status: 200 })
    expect(verified()).toBe(0)
    // Both runs draw the same random numbers here: make room for a session of the same token.
    app.db.run('DELETE FROM sessions')
    expect(await clientOf(restarted, basic('ole', 'driftwood')).get(ME)).toMatchObject({ status: 200 })
    expect(verified()).toBe(1)
  })
})
