import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import type { Folder } from './support/folder.ts'
import { CHANGES, LIST, startScene } from './support/scene.ts'

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
