import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { UserId } from '../../src/domain/shared/ids.ts'
import type { ActionQuery, EpisodeAction } from '../../src/domain/sync/ports/episode-actions.ts'
import type { Store } from '../../src/store/stores.ts'
import { addUser, listActions, report, T } from '../store/contract/fixtures.ts'
import { storeOpener } from '../support/store.ts'
import { dice } from '../support/values.ts'

const openStore = storeOpener()

/** An action with the logical time of its upload; the order of the list is the order of upload. */
type Logged = EpisodeAction & { readonly seq: number }

const PODCASTS = ['a', 'b', 'c'].map((name) => `https://${name}.example/f`)
const DEVICES = ['phone', 'desk', undefined]

/** `count` actions, most of them on the first podcast, many at the same second, none a duplicate of another. */
function someActions(count: number, seed: number, devices: readonly (string | undefined)[] = DEVICES): EpisodeAction[] {
  const roll = dice(seed)
  const made = new Map<string, EpisodeAction>()
  while (made.size < count) {
    const action: EpisodeAction = {
      podcast: PODCASTS[Math.max(0, roll(6) - 3)] ?? '',
      episode: `https://cdn.example/${roll(count / 4 + 5)}`,
      kind: (['new', 'download', 'play', 'delete'] as const)[roll(4)] ?? 'new',
      at: T - roll(count < 1000 ? 20 : 200),
      device: devices[roll(devices.length)],
    }
    made.set(JSON.stringify(action), action)
  }
  return [...made.values()]
}

type Made = Parameters<typeof someActions>

/** Uploads in a few requests, for two users in turn; returns what the first one must have. */
async function fill(store: Store, ida: UserId, ole: UserId, actions: readonly EpisodeAction[]): Promise<Logged[]> {
  const logged: Logged[] = []
  const size = Math.ceil(actions.length / 5)
  for (let start = 0; start < actions.length; start += size) {
    const batch = actions.slice(start, start + size)
    const seq = await report(store, ida, batch)
    logged.push(...batch.map((action) => ({ ...action, seq })))
    await report(store, ole, batch.slice(0, 50))
  }
  return logged
}

/** The simplest implementation of docs/protocol.md#fetching-actions. */
function naive(log: readonly Logged[], query: ActionQuery): EpisodeAction[] {
  const { since, podcast, device, aggregated, onlyStates = false } = query
  const isState = ({ kind }: Logged) => kind === 'play' || kind === 'new'
  const matching = log
    .filter((action) => !onlyStates || isState(action))
    .filter((action) => podcast === undefined || action.podcast === podcast)
    .filter((action) => device === undefined || action.device === device)
    .toSorted((a, b) => a.at - b.at)
  const isRecent = ({ seq }: Logged) => seq >= since
  if (!aggregated) return matching.filter(isRecent)
  const episodeOf = (action: Logged) => `${action.podcast} ${action.guid ?? action.episode}`
  const listed = new Set(matching.filter(isRecent).map(episodeOf))
  // Later entries of the map win.
  const inOrder = [...matching.filter((action) => !isState(action)), ...matching.filter(isState)]
  const states = new Map(inOrder.map((action) => [episodeOf(action), action]))
  return matching.filter((action) => listed.has(episodeOf(action)) && states.get(episodeOf(action)) === action)
}

/** Text is cheaper to compare than thousands of objects. Episodes with a guid may be listed by any of their media URLs. */
const lines = (actions: readonly EpisodeAction[]) =>
  actions
    .map(({ podcast, episode, guid, kind, at, device }) => `${at} ${podcast} ${guid ?? episode} ${kind} ${device}`)
    .join('\n')

const query = (seqs: readonly number[]): fc.Arbitrary<ActionQuery> =>
  fc.record({
    since: fc.oneof(fc.constant(0), fc.constantFrom(...seqs, ...seqs.map((seq) => seq + 1))),
    podcast: fc.constantFrom(undefined, ...PODCASTS, 'https://nowhere.example/'),
    device: fc.constantFrom(undefined, 'phone', 'desk', 'radio'),
    aggregated: fc.boolean(),
  })

describe('a query of episode actions has the same answer as reading the whole log', () => {
  test.each([
    ['a short history', 60, 20, 30],
    ['the longest history that is read at once', 1000, 1, 40],
    ['the shortest history that is read in chunks', 1001, 1, 40],
    ['a long history, with one long podcast', 3300, 1, 60],
    ['a history too long to be sorted in memory', 7000, 1, 30],
  ])('%s', async (_case, count, histories, queries) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const store = openStore()
        const [ida, ole] = [await addUser(store, 'ida'), await addUser(store, 'ole')]
        const log = await fill(store, ida, ole, someActions(count, seed))
        const seqs = [...new Set(log.map(({ seq }) => seq))]
        // The usual request of an app: everything since one of the uploads.
        for (const since of seqs)
          for (const aggregated of [false, true])
            expect(lines(await listActions(store, ida, { since, aggregated }))).toBe(
              lines(naive(log, { since, aggregated })),
            )
        await fc.assert(
          fc.asyncProperty(query(seqs), async (asked) => {
            expect(lines(await listActions(store, ida, asked))).toBe(lines(naive(log, asked)))
          }),
          { numRuns: queries },
        )
      }),
      { numRuns: histories, endOnFailure: true },
    )
  })

  test('a list of one podcast that is sorted in overlapping chunks', async () => {
    const store = openStore()
    const ida = await addUser(store, 'ida')
    const podcast = PODCASTS[0] ?? ''
    // Times wrap around seven times, so each chunk has early and late ones; the latest is in the second chunk.
    const actions = Array.from({ length: 5000 }, (_, n) => ({
      podcast,
      episode: `https://cdn.example/${n}`,
      kind: 'play' as const,
      at: T + ((n * 7 + 4) % 5000),
      device: 'phone',
    }))
    const seq = await report(store, ida, actions)
    const asked = { since: 0, podcast, device: undefined, aggregated: false }
    const log = actions.map((action) => ({ ...action, seq }))
    expect(lines(await listActions(store, ida, asked))).toBe(lines(naive(log, asked)))
  })
})

/** Gives the same guid to media URLs of a podcast that end in the same digit. */
function withGuids(actions: readonly EpisodeAction[]): EpisodeAction[] {
  return actions.map((action) => ({ ...action, guid: `${action.podcast}#${action.episode.slice(-1)}` }))
}

describe('a query that is answered during uploads reflects its timestamp', () => {
  const filters = fc.oneof(
    { weight: 3, arbitrary: fc.constant({ aggregated: false }) },
    fc.constant({ aggregated: true }),
    fc.constant({ aggregated: true, onlyStates: true }),
    fc.record({ aggregated: fc.boolean(), podcast: fc.constantFrom(...PODCASTS) }),
    fc.record({ aggregated: fc.boolean(), device: fc.constantFrom('device0', 'device5') }),
  )
  const since = fc.constantFrom('start' as const, 'first upload' as const, 'last answer' as const)
  const round = fc.record({ filters, since, before: fc.nat(2), after: fc.nat(4) })

  test.each([
    ['many devices with a short history', 24, 300, 20, someActions],
    ['episodes with several media URLs each', 24, 300, 20, (...given: Made) => withGuids(someActions(...given))],
    ['a few devices with more actions than are read at once', 7, 1500, 15, someActions],
    ['more episodes than are read at once', 3, 6500, 3, someActions],
  ])('%s', async (_case, deviceCount, count, histories, make) => {
    const names = Array.from({ length: deviceCount }, (_, n) => `device${n}`)
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(round, { minLength: 1, maxLength: 6 }), async (seed, rounds) => {
        const store = openStore()
        const ida = await addUser(store)
        const actions = make(count, seed, names)
        const log: Logged[] = []
        async function upload(some: readonly EpisodeAction[]): Promise<void> {
          const seq = await report(store, ida, some)
          log.push(...some.map((action) => ({ ...action, seq })))
        }
        await upload(actions.splice(0, count / 10))
        const times = { start: 0, 'first upload': (log[0]?.seq ?? 0) + 1, 'last answer': 0 }
        await upload(actions.splice(0, actions.length - 100))
        for (const { filters: asked, since: from, before, after } of rounds) {
          const uploads = Array.from({ length: before + after }, () => actions.splice(0, 2))
          const underWay = uploads.splice(0, before).map(upload)
          const query = { since: times[from], ...asked }
          const answer = store.episodeActions.list(ida, query)
          // Each upload is a transaction between two steps of the query.
          for (const some of uploads) await upload(some)
          const { clock, chunks } = await answer
          await Promise.all(underWay)
          const known = log.filter(({ seq }) => seq <= clock)
          expect(lines((await Array.fromAsync(chunks)).flat())).toBe(lines(naive(known, query)))
          times['last answer'] = clock + 1
        }
      }),
      { numRuns: histories, endOnFailure: true },
    )
  })
})
