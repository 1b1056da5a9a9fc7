import { expect, test } from 'bun:test'
import type { EpisodeAction } from '../../../src/domain/sync/ports/episode-actions.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, action, addUser, B, listActions, report, T } from '../contract/fixtures.ts'

/** Moving a long history takes several transactions, between which the database must be consistent. */

const PLAYS = 1200
const DOWNLOADS = 600
/** Two media URLs of one episode, and one of another. */
const EPISODES = [
  ['https://cdn.example/1', 'fog'],
  ['https://cdn.example/2', 'fog'],
  ['https://cdn.example/3', 'ebb'],
] as const

function sent(n: number): EpisodeAction {
  const isPlay = n < PLAYS
  // Actions after the last play carry no position.
  const [episode, guid] = EPISODES[isPlay ? n % 3 : 2 * (n % 2)] ?? EPISODES[0]
  const rest = isPlay ? { kind: 'play' as const, started: 0, position: n, total: 9999 } : { kind: 'download' as const }
  return action({ podcast: A, episode, guid, at: T + n, ...rest })
}

/** Omits the media URL: lists have the latest one of the episode instead of the one sent. */
const textOf = ({ podcast, kind, position, at }: EpisodeAction) => `${podcast} ${position ?? kind} ${at}`
const textsOf = (actions: readonly EpisodeAction[]) => actions.map(textOf)
const sorted = (texts: readonly string[]) => texts.toSorted((one, other) => (one < other ? -1 : 1))

/** Returns the last play of each episode at each address, or its last action if it was never played. */
function statesOf(actions: readonly EpisodeAction[]): string[] {
  const states = new Map<string, EpisodeAction>()
  for (const each of actions) {
    const name = `${each.podcast} ${each.guid}`
    if (each.kind === 'play' || states.get(name)?.kind !== 'play') states.set(name, each)
  }
  return sorted(textsOf([...states.values()]))
}

test('between transactions of a move, the state of each episode is its latest action', async () => {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  const all = Array.from({ length: PLAYS + DOWNLOADS }, (_, n) => sent(n))
  await report(store, ida, all)
  const clock = () => JSON.stringify(db.query('SELECT clock FROM users').get())
  const left: Buffer[] = []
  let seen = clock()
  const moving = store.upgrades.moveActions(ida, { from: A, to: B }, T + 9999)
  while (Bun.peek.status(moving) === 'pending') {
    await new Promise((resolve) => setImmediate(resolve))
    if (clock() !== seen) left.push(Buffer.from(db.serialize()))
    seen = clock()
  }
  await moving
  expect(left).toHaveLength(4)

  const moved = all.map((each) => ({ ...each, podcast: B }))
  for (const [index, bytes] of left.entries()) {
    const copy = createSqliteStore(openMemoryDatabase(bytes))
    const count = Math.min(500 * (index + 1), all.length)
    const expected = [...moved.slice(0, count), ...all.slice(count)]
    expect(textsOf(await listActions(copy, ida))).toEqual(textsOf(expected))
    const states = await listActions(copy, ida, { aggregated: true })
    expect(sorted(textsOf(states))).toEqual(statesOf(expected))
    await copy.upgrades.moveActions(ida, { from: A, to: B }, T + 9999)
    expect(textsOf(await listActions(copy, ida))).toEqual(textsOf(moved))
  }
})
