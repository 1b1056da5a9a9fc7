import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { type Client, cookieOf } from '../support/client.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { CHANGES, complaints, LIST, startScene } from './support/scene.ts'

/** Columns that hold the logical clock of docs/protocol.md#D14. */
const CLOCKS = [
  ['users', 'clock'],
  ['subscriptions', 'seq'],
  ['action_uploads', 'seq'],
] as const

/** Makes all changes look as if they had been written with a wall clock `seconds` ahead. */
function shiftPast(folder: Folder, seconds: number): void {
  const db = new Database(folder.file('data/podstep.db'))
  for (const [table, column] of CLOCKS) db.run(`UPDATE ${table} SET ${column} = ${column} + ?`, [seconds])
  db.close()
}

async function changes(client: Client, since: number): Promise<{ add: unknown; timestamp: number }> {
  const { json } = await client.get(`${CHANGES}?since=${since}`)
  return typeof json === 'object' && json !== null && 'add' in json && 'timestamp' in json
    ? { add: json.add, timestamp: Number(json.timestamp) }
    : { add: undefined, timestamp: Number.NaN }
}

test.each([
  // As on a small computer without a battery.
  ['back by ten years', 10 * 365 * 86_400],
  ['forward by a day', -86_400],
])('no change is lost or repeated if the clock is set %s while the server is down', async (_how, shift) => {
  await using scene = await startScene()
  await scene.ida.post(CHANGES, { add: ['https://a.example/before'] })
  await scene.server.stop()
  shiftPast(scene.folder, shift)
  await using second = await scene.again()
  const first = await changes(second.ida, 0)
  expect(first.add).toEqual(['https://a.example/before'])
  let since = first.timestamp
  for (let n = 1; n <= 3; n++) {
    // Whole lists, as another app on the same phone would upload them.
    await second.ida.put(LIST, ['https://a.example/before', `https://a.example/after-${n}`])
    const next = await changes(second.ida, since)
    expect(next.add).toEqual([`https://a.example/after-${n}`])
    expect(next.timestamp).toBeGreaterThan(since)
    since = next.timestamp
    expect(await changes(second.ida, since)).toEqual({ add: [], timestamp: since })
  }
  await second.server.stop()
  await using third = await scene.again()
  expect(await changes(third.ida, since)).toEqual({ add: [], timestamp: since })
  await third.ida.post(CHANGES, { add: ['https://a.example/last'] })
  expect((await changes(third.ida, since)).add).toEqual(['https://a.example/last'])
})

/** From Debian's package `libfaketime`: reads the wall clock from a file. */
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'
const canFake = existsSync(FAKETIME)
if (!canFake) process.stderr.write(`skipped the test that sets the clock of a running server: it needs ${FAKETIME}\n`)

test.skipIf(!canFake)(
  'setting the clock forward by a year and back under load loses and repeats no change, and ends no session',
  async () => {
    using clock = emptyFolder()
    const set = (offset: string) => writeFileSync(clock.file('offset'), offset)
    const env = { LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: clock.file('offset'), FAKETIME_NO_CACHE: '1' }
    // When the startup job has removed this session of two months ago, no other job removes sessions for some minutes.
    set('-60d')
    await using past = await startScene({ env: { ...env, DONT_FAKE_MONOTONIC: '1' } })
    await past.ida.post('/api/2/auth/ida/login.json')
    await past.server.stop()
    set('+0')
    await using scene = await past.again()
    const { ida, server } = scene
    await server.logged('removed what has expired')
    const browser = server.client(cookieOf(await ida.post('/api/2/auth/ida/login.json')))
    const sent: string[] = []
    const over = new AbortController()
    const apps = Array.from({ length: 4 }, async (_, app) => {
      for (let n = 0; !over.signal.aborted; n++) {
        const url = `https://a.example/${app}/${n}`
        expect((await ida.post(CHANGES, { add: [url] })).status).toBe(200)
        sent.push(url)
      }
    })
    const got: unknown[] = []
    let since = 0
    async function read(): Promise<void> {
      const { add, timestamp } = await changes(ida, since)
      expect(timestamp).toBeGreaterThanOrEqual(since)
      if (Array.isArray(add)) got.push(...add)
      since = timestamp
    }
    // Sessions expire after a month, and are valid again once the clock is set back.
    for (const [offset, status] of [
      ['+0', 200],
      ['+365d', 401],
      ['-1d', 200],
      ['+0', 200],
    ] as const) {
      set(offset)
      expect([offset, (await browser.get('/api/2/me')).status]).toEqual([offset, status])
      for (const before = got.length; got.length < before + 20; ) await read()
    }
    over.abort()
    await Promise.all(apps)
    await read()
    expect(got).toHaveLength(sent.length)
    expect(new Set(got)).toEqual(new Set(sent))
    expect(complaints(server)).toEqual([])
    await server.stop()
  },
)
