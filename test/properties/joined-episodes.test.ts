import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { UserId } from '../../src/domain/shared/ids.ts'
import type { Store } from '../../src/domain/store.ts'
import type { ActionQuery, EpisodeAction } from '../../src/domain/sync/ports.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { A, addUser, B, listActions, report, T } from '../store/contract/fixtures.ts'

/** An action with the logical time of its upload; the order of the list is the order of upload. */
type Logged = EpisodeAction & { readonly seq: number }

/** Few media URLs and guids, so that the same episode comes at several of them, and their guids change. */
const action: fc.Arbitrary<EpisodeAction> = fc.record({
  podcast: fc.constantFrom(A, A, B),
  episode: fc.constantFrom(...[1, 2, 3, 4, 5].map((n) => `https://cdn.example/${n}`)),
  guid: fc.constantFrom(undefined, undefined, 'fog', 'fog', 'ebb'),
  kind: fc.constantFrom('play', 'new', 'download' as const),
  at: fc.integer({ min: T, max: T + 1000 }),
  device: fc.constantFrom('phone', 'desk'),
})

const mediaOf = ({ podcast, episode }: EpisodeAction) => `${podcast} ${episode}`
const isState = ({ kind }: EpisodeAction) => kind === 'play' || kind === 'new'
const sameAs = (one: EpisodeAction) => (other: EpisodeAction) =>
  JSON.stringify({ ...one, guid: '', seq: 0 }) === JSON.stringify({ ...other, guid: '', seq: 0 })

/** docs/protocol.md#D84 by its plainest reading. */
function createModel() {
  const log: Logged[] = []
  const guids = new Map<string, string>()

  const episodeOf = (one: EpisodeAction) => {
    const guid = guids.get(mediaOf(one))
    return guid === undefined ? mediaOf(one) : `${one.podcast} guid ${guid}`
  }
  /** As clients are told of it. */
  const told = (one: Logged) => {
    const { seq: _, ...rest } = one
    const newest = log.findLast((other) => episodeOf(other) === episodeOf(one)) ?? one
    const guid = guids.get(mediaOf(one))
    const podcasts = new Set([...guids].flatMap(([media, known]) => (known === guid ? media.split(' ')[0] : [])))
    return { ...rest, episode: newest.episode, guid: podcasts.size > 1 ? undefined : guid }
  }

  return {
    add(added: EpisodeAction, seq: number): boolean {
      const isNew = !log.some(sameAs(added))
      if (isNew) log.push({ ...added, seq })
      if (added.guid !== undefined && (isNew || !guids.has(mediaOf(added)))) guids.set(mediaOf(added), added.guid)
      return isNew
    },
    list({ since, podcast, device, aggregated, onlyStates }: ActionQuery): EpisodeAction[] {
      const matching = log
        .filter((one) => podcast === undefined || one.podcast === podcast)
        .filter((one) => device === undefined || one.device === device)
        .filter((one) => !onlyStates || isState(one))
        .toSorted((one, other) => one.at - other.at)
      if (!aggregated) return matching.filter(({ seq }) => seq >= since).map(told)
      const listed = new Set(matching.filter(({ seq }) => seq >= since).map(episodeOf))
      const inOrder = [...matching.filter((one) => !isState(one)), ...matching.filter(isState)]
      const states = new Map(inOrder.map((one) => [episodeOf(one), one]))
      return matching.filter((one) => listed.has(episodeOf(one)) && states.get(episodeOf(one)) === one).map(told)
    },
    seqs: () => [...new Set(log.map(({ seq }) => seq))],
  }
}

type Model = ReturnType<typeof createModel>

async function compare(store: Store, ida: UserId, model: Model): Promise<void> {
  for (const since of [0, ...model.seqs().slice(-3)])
    for (const aggregated of [false, true])
      for (const filter of [{}, { podcast: A }, { device: 'phone' }, { podcast: B, device: 'desk' }]) {
        const query = { since, aggregated, ...filter }
        expect([query, await listActions(store, ida, query)]).toEqual([query, model.list(query)])
      }
  for (const since of [0, ...model.seqs().slice(-3)]) {
    const query = { since, aggregated: true, onlyStates: true }
    expect([query, await listActions(store, ida, query)]).toEqual([query, model.list(query)])
  }
}

test('an episode is one by whatever media URLs it comes, and told by the last one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(action, { maxLength: 6 }), { maxLength: 8 }), async (uploads) => {
      const store = createSqliteStore(openMemoryDatabase())
      const ida = await addUser(store)
      const ole = await addUser(store, 'ole')
      const model = createModel()
      let clock = 0
      for (const actions of uploads) {
        const seq = Math.max(T, clock + 2)
        const added = actions.filter((one) => model.add(one, seq))
        clock = added.length > 0 ? seq : clock
        expect(await report(store, ida, actions)).toBe(clock)
        await report(store, ole, actions.slice(0, 2))
      }
      await compare(store, ida, model)
    }),
    { numRuns: 100 },
  )
}, 30_000)
