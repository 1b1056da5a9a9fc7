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

/** As if everything had been written while the wall clock was `seconds` ahead (or behind, if negative). */
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
  ['back by a day while the server was down', 86_400],
  ['back by ten years, as on a small computer without a battery', 10 * 365 * 86_400],
  ['forward by a day', -86_400],
])('when the wall clock was put %s, no change is lost and none repeated', async (_how, shift) => {
  await using scene = await startScene()
  await scene.ida.post(CHANGES, { add: ['https://a.example/before'] })
  await scene.server.stop()
  shiftPast(scene.folder, shift)
  await using second = await scene.again()
  const first = await changes(second.ida, 0)
  expect(first.add).toEqual(['https://a.example/before'])
  let since = first.timestamp
  for (let n = 1; n <= 3; n++) {
    // Whole lists, as another program on the same phone would write them: nothing is known of the delta client.
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

/** Debian's package `libfaketime`: the wall clock of a process is what a file says. */
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'
const canFake = existsSync(FAKETIME)
if (!canFake) process.stderr.write(`skipped: the test of a clock that is set while the server runs needs ${FAKETIME}\n`)

test.skipIf(!canFake)(
  'while the clock is set forward by a year and back again under load, each change comes once, and nobody is signed out by the way back',
  async () => {
    using clock = emptyFolder()
    const set = (offset: string) => writeFileSync(clock.file('offset'), offset)
    const env = { LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: clock.file('offset'), FAKETIME_NO_CACHE: '1' }
    // A session of two months ago goes with the jobs of the start. After them none ends sessions for the next minutes.
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
    // Sessions are over after a month. They are there again when it turns out that no month has passed.
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
