import { describe, expect, test } from 'bun:test'
import { clientLabel, createSessions } from '../../../src/domain/accounts/sessions.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser, T } from '../../store/contract/fixtures.ts'
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
  /** Resumes a session, and waits until its use is recorded. */
  const resume = async (token: string) => {
    const resumed = await sessions.resume(token)
    await store.idle()
    return resumed
  }
  return { store, clock, sessions, ida, resume }
}

describe('sessions (D28)', () => {
  test('are resumed only by their token', async () => {
    const { sessions, ida, resume } = await open()
    const { id, token } = await sessions.start(ida)
    expect((await sessions.start(ida)).token).not.toBe(token)
    expect(await resume(token)).toMatchObject({ session: { id, user: { id: ida } }, extended: false })
    expect(await resume(`${token}x`)).toBeUndefined()
    expect(await resume('')).toBeUndefined()
  })

  test('are over after thirty days without use, not a second earlier', async () => {
    const { sessions, ida, clock, resume } = await open()
    const [first, second] = [await sessions.start(ida), await sessions.start(ida)]
    clock.advance(30 * DAY - 1)
    expect(await resume(first.token)).toBeDefined()
    clock.advance(1)
    expect(await resume(second.token)).toBeUndefined()
  })

  test('are renewed once, when they are used in the second half of their life', async () => {
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

  test('record their use at most once an hour, so that reading does not write', async () => {
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

  test('used after their first minute survive a flood of logins by their own account', async () => {
    const { sessions, ida, clock, resume } = await open()
    const { token } = await sessions.start(ida)
    clock.advance(MINUTE + 1)
    await resume(token)
    for (let n = 0; n < 250; n++) {
      const login = await sessions.start(ida)
      // Some apps log in before each request and use the session at once.
      await resume(login.token)
    }
    expect(await resume(token)).toBeDefined()
  })

  test('are resumed even if their use cannot be recorded', async () => {
    const { store, sessions, ida, clock } = await open()
    const { token } = await sessions.start(ida)
    clock.advance(20 * DAY)
    const touch = () => Promise.reject(new Error('disk full'))
    const failing = createSessions({ ...store.sessions, touch }, clock, seededRandom(2), 30)
    expect(await failing.resume(token)).toMatchObject({ session: { user: { id: ida } } })
  })
})

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  ['AntennaPod/3.7.0', 'AntennaPod'],
  ['gPodder/3.11.4 (+http://gpodder.org/) Linux', 'gPodder'],
  ['Clementine 1.4.0rc1', 'Clementine 1.4.0rc1'],
  ['Music Assistant/2.3', 'Music Assistant'],
  ['Поддер/1.0', 'Поддер'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox on Android'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0 Safari/537.36 Edg/141.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/141.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [`Mozilla/5.0 (Linux; Android 14) ${WEBKIT} SamsungBrowser/28 Chrome/130 Safari/537`, 'Samsung Internet on Android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604', 'Safari on iPhone'],
  ['Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1 CriOS/141.0 Safari/604.1', 'Chrome on iPad'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.5 Safari/605.1', 'Safari on macOS'],
  ['Mozilla/5.0 (PlayStation 5) AppleWebKit/605.1 Version/18 Safari/605.1', 'Safari'],
  ['Mozilla/5.0 (compatible; podcast thing)', 'Mozilla'],
])('%s is labelled %s', (userAgent, label) => {
  expect(clientLabel(userAgent)).toBe(label)
})

test('a label has no harmful characters, and libraries and unreadable names have no label', () => {
  const libraries = 'Bun/1.4.5,okhttp/4.12.0,python-requests/2.32,Go-http-client/1.1,Dart/3.5 (dart:io)'.split(',')
  for (const userAgent of [...libraries, '', ' \t ', '/1.0', '(nothing)', '\u0000\u001b\u200b\u202e'])
    expect([userAgent, clientLabel(userAgent)]).toEqual([userAgent, undefined])
  // Terminal escapes, reversed text, half a surrogate pair and line ends.
  const odd = ['Pod\u001b[31mcast\u0007/1', 'Pod\u202etsac/1', 'Pod\ud83c/1', 'Pod\r\ncast/1']
  expect(odd.map(clientLabel)).toEqual(['Pod [31mcast', 'Pod tsac', 'Pod', 'Pod cast'])
  for (const letter of ['x', '🎧']) expect(clientLabel(letter.repeat(100_000))).toBe(letter.repeat(60))
})
