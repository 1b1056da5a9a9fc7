import { describe, expect, test } from 'bun:test'
import { createSessions } from '../../../src/domain/accounts/sessions.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser, DEED, T } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'
import { seededRandom } from '../../support/values.ts'

const DAY = 86_400
const HOUR = 3600
const MINUTE = 60

async function open() {
  const store = createSqliteStore(openMemoryDatabase())
  const clock = fakeClock(T)
  const sessions = createSessions(store.sessions, clock, seededRandom(1), 30)
  const ida = await addUser(store)
  /** Resumes and lets the note about it be written. */
  const resume = async (token: string) => {
    const resumed = await sessions.resume(token)
    await store.idle()
    return resumed
  }
  return { store, clock, sessions, ida, resume }
}

describe('sessions (D28)', () => {
  test('have tokens of 43 characters, each another', async () => {
    const { sessions, ida } = await open()
    const tokens = [await sessions.start(ida), await sessions.start(ida)].map(({ token }) => token)
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(new Set(tokens).size).toBe(2)
  })

  test('are resumed by their token alone', async () => {
    const { sessions, ida, resume } = await open()
    const { id, token } = await sessions.start(ida)
    expect(await resume(token)).toMatchObject({ session: { id, user: { id: ida } }, extended: false })
    expect(await resume(`${token}x`)).toBeUndefined()
    expect(await resume('')).toBeUndefined()
  })

  test('are over when ended', async () => {
    const { sessions, ida, resume } = await open()
    const { id, token } = await sessions.start(ida)
    await sessions.end(id)
    expect(await resume(token)).toBeUndefined()
  })

  test('are over after thirty days without use, not a second earlier', async () => {
    const { sessions, ida, clock, resume } = await open()
    const [first, second] = [await sessions.start(ida), await sessions.start(ida)]
    clock.advance(30 * DAY - 1)
    expect(await resume(first.token)).toBeDefined()
    clock.advance(1)
    expect(await resume(second.token)).toBeUndefined()
  })

  test('slide: used in the second half of their life they start anew, once', async () => {
    const { sessions, ida, clock, resume } = await open()
    const { token } = await sessions.start(ida)
    clock.advance(15 * DAY)
    expect(await resume(token)).toMatchObject({ extended: false })
    clock.advance(1)
    expect(await resume(token)).toMatchObject({ extended: true })
    expect(await resume(token)).toMatchObject({ extended: false, session: { expiresAt: T + 45 * DAY + 1 } })
    clock.advance(29 * DAY)
    expect(await resume(token)).toBeDefined()
  })

  test('live as long as they are used', async () => {
    const { sessions, ida, clock, resume } = await open()
    const { token } = await sessions.start(ida)
    for (let n = 0; n < 40; n++) {
      clock.advance(10 * DAY)
      expect(await resume(token)).toBeDefined()
    }
  })

  test('note their use at most once an hour, so that reading does not write', async () => {
    const { sessions, ida, clock, resume } = await open()
    const { token } = await sessions.start(ida)
    clock.advance(MINUTE + 1)
    await resume(token)
    clock.advance(HOUR)
    await resume(token)
    const first = T + MINUTE + 1
    expect(await resume(token)).toMatchObject({ session: { usedAt: first } })
    clock.advance(1)
    await resume(token)
    expect(await resume(token)).toMatchObject({ session: { usedAt: first + HOUR + 1, expiresAt: T + 30 * DAY } })
  })

  test('that were used after their first minute outlive a storm of logins of their own account', async () => {
    const { sessions, ida, clock, resume } = await open()
    const { token } = await sessions.start(ida)
    clock.advance(MINUTE + 1)
    await resume(token)
    for (let n = 0; n < 250; n++) {
      const login = await sessions.start(ida)
      // As apps do that log in before each request, and use the session at once.
      await resume(login.token)
    }
    expect(await resume(token)).toBeDefined()
  })

  test.each([
    ['deactivated', false],
    ['active again', true],
  ])('end with a user who is %s', async (_case, active) => {
    const { store, sessions, ida, resume } = await open()
    const { token } = await sessions.start(ida)
    await store.users.setActive('ida', false, DEED)
    if (active) await store.users.setActive('ida', true, DEED)
    expect(await resume(token)).toBeUndefined()
  })

  test('are resumed although the note cannot be written', async () => {
    const { store, sessions, ida, clock } = await open()
    const { token } = await sessions.start(ida)
    clock.advance(20 * DAY)
    const touch = () => Promise.reject(new Error('disk full'))
    const failing = createSessions({ ...store.sessions, touch }, clock, seededRandom(2), 30)
    expect(await failing.resume(token)).toMatchObject({ session: { user: { id: ida } } })
  })

  test('are a hundred per user at most', async () => {
    const { sessions, ida, clock, resume } = await open()
    const tokens: string[] = []
    for (let n = 0; n < 101; n++) {
      clock.advance(1)
      tokens.push((await sessions.start(ida)).token)
    }
    const live: number[] = []
    for (const [n, token] of tokens.entries()) if (await resume(token)) live.push(n)
    expect(live).toHaveLength(100)
    expect(live).not.toContain(0)
  })
})
