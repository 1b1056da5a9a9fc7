import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { basic, type Client } from '../support/client.ts'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { startServer } from './support/server.ts'

/** Columns that hold the logical clock of docs/protocol.md#D14. */
const CLOCKS = [
  ['users', 'clock'],
  ['subscriptions', 'seq'],
  ['episode_actions', 'seq'],
] as const

/** As if everything had been written while the wall clock was `seconds` ahead (or behind, if negative). */
function shiftPast(folder: Folder, seconds: number): void {
  const db = new Database(folder.file('data/podstep.db'))
  for (const [table, column] of CLOCKS) db.run(`UPDATE ${table} SET ${column} = ${column} + ?`, [seconds])
  db.close()
}

const FEEDS = '/api/2/subscriptions/ida/phone.json'

async function changes(client: Client, since: number): Promise<{ add: unknown; timestamp: number }> {
  const { json } = await client.get(`${FEEDS}?since=${since}`)
  return typeof json === 'object' && json !== null && 'add' in json && 'timestamp' in json
    ? { add: json.add, timestamp: Number(json.timestamp) }
    : { add: undefined, timestamp: Number.NaN }
}

describe('when the wall clock was put', () => {
  const cases = [
    { title: 'back by a day while the server was down', shift: 86_400 },
    { title: 'back by ten years, as on a small computer without a battery', shift: 10 * 365 * 86_400 },
    { title: 'forward by a day', shift: -86_400 },
  ]
  test.each(cases)('$title, no change is lost and none repeated', async ({ shift }) => {
    using folder = emptyFolder()
    await podstep(['user', 'create', 'ida'], { cwd: folder.path, stdin: 'seaglass' })
    {
      await using server = await startServer({ cwd: folder.path })
      await server.client(basic('ida', 'seaglass')).post(FEEDS, { add: ['https://a.example/before'] })
      await server.stop()
    }
    shiftPast(folder, shift)
    let since: number
    {
      await using server = await startServer({ cwd: folder.path })
      const client = server.client(basic('ida', 'seaglass'))
      const first = await changes(client, 0)
      expect(first.add).toEqual(['https://a.example/before'])
      since = first.timestamp
      for (let n = 1; n <= 3; n++) {
        // Whole lists, as another program on the same phone would write them: nothing is known of the delta client.
        await client.put('/subscriptions/ida/phone.json', ['https://a.example/before', `https://a.example/after-${n}`])
        const next = await changes(client, since)
        expect(next.add).toEqual([`https://a.example/after-${n}`])
        expect(next.timestamp).toBeGreaterThan(since)
        since = next.timestamp
        expect(await changes(client, since)).toEqual({ add: [], timestamp: since })
      }
      await server.stop()
    }
    await using server = await startServer({ cwd: folder.path })
    const client = server.client(basic('ida', 'seaglass'))
    expect(await changes(client, since)).toEqual({ add: [], timestamp: since })
    await client.post(FEEDS, { add: ['https://a.example/last'] })
    expect((await changes(client, since)).add).toEqual(['https://a.example/last'])
  })
})
