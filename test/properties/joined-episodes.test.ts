import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Before } from '../../src/domain/directory/ports/inbox.ts'
import type { UserId } from '../../src/domain/shared/ids.ts'
import type { Store } from '../../src/domain/store.ts'
import type { ActionQuery, EpisodeAction } from '../../src/domain/sync/ports/episode-actions.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import {
  A,
  addUser,
  B,
  change,
  feedEpisode,
  fingerprinted,
  listActions,
  report,
  T,
} from '../store/contract/fixtures.ts'

/** An action with the logical time of its upload; the order of the list is the order of upload. */
type Logged = EpisodeAction & { readonly seq: number }

const MEDIA = [1, 2, 3, 4, 5].map((n) => `https://cdn.example/${n}`)
const TOTAL = 60
const SAID = {
  begun: { kind: 'play', started: 0, position: 5, total: TOTAL },
  heard: { kind: 'play', started: 5, position: TOTAL, total: TOTAL },
  mark: { kind: 'play', started: TOTAL, position: TOTAL, total: TOTAL },
  end: { kind: 'play', position: TOTAL, total: TOTAL },
  new: { kind: 'new' },
  download: { kind: 'download' },
} as const

/** Few media URLs and guids, so that the same episode comes at several of them, and their guids change. */
const action: fc.Arbitrary<EpisodeAction> = fc
  .record({
    podcast: fc.constantFrom(A, A, B),
    episode: fc.constantFrom(...MEDIA),
    guid: fc.constantFrom(undefined, undefined, 'fog', 'fog', 'ebb'),
    at: fc.integer({ min: T, max: T + 1000 }),
    device: fc.constantFrom('phone', 'desk'),
    what: fc.constantFrom('begun', 'heard', 'mark', 'mark', 'end', 'new', 'download' as const),
  })
  .map(({ what, ...rest }) => ({ ...rest, ...SAID[what] }))

/** What the feed at A says of a media URL. */
const taught = fc.record({
  url: fc.constantFrom(...MEDIA),
  guid: fc.constantFrom('fog', 'fog', 'ebb', 'tide'),
  isShared: fc.constantFrom(false, false, true),
})
type Taught = typeof taught extends fc.Arbitrary<infer I> ? I : never

const steps = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.array(action, { maxLength: 6 }) }, { weight: 1, arbitrary: taught }),
  { maxLength: 10 },
)

const mediaOf = ({ podcast, episode }: EpisodeAction) => `${podcast} ${episode}`
const isState = ({ kind }: EpisodeAction) => kind === 'play' || kind === 'new'
const isFinished = (one: EpisodeAction | undefined) => one?.position === TOTAL
const sameAs = (one: EpisodeAction) => (other: EpisodeAction) =>
  JSON.stringify({ ...one, guid: '', seq: 0 }) === JSON.stringify({ ...other, guid: '', seq: 0 })

/** docs/protocol.md#D84, #D45 and #D86 by their plainest reading. */
function createModel() {
  const log: Logged[] = []
  const guids = new Map<string, string>()
  const feed = new Map<string, Taught>()

  const isShared = (podcast: string, guid: string, media: Iterable<string> = guids.keys()) =>
    [...media].some((one) => {
      const said = feed.get(one)
      return one.startsWith(`${podcast} `) && guids.get(one) === guid && said?.guid === guid && said.isShared
    })
  const named = (podcast: string, guid: string) => `${podcast} guid ${guid}`
  const episodeOf = (one: EpisodeAction) => {
    const guid = guids.get(mediaOf(one))
    return guid === undefined || isShared(one.podcast, guid) ? mediaOf(one) : named(one.podcast, guid)
  }
  /** As clients are told of it. */
  const told = (one: Logged) => {
    const { seq: _, ...rest } = one
    const newest = log.findLast((other) => episodeOf(other) === episodeOf(one)) ?? one
    const guid = guids.get(mediaOf(one))
    const podcasts = new Set([...guids].flatMap(([media, known]) => (known === guid ? media.split(' ')[0] : [])))
    const isTold = guid !== undefined && podcasts.size < 2 && !isShared(one.podcast, guid)
    return { ...rest, episode: newest.episode, guid: isTold ? guid : undefined }
  }
  /** The episode that an action is of, by what it says itself first. */
  const episodeBy = (added: EpisodeAction) => {
    const said = feed.get(mediaOf(added))
    const guid = added.guid ?? guids.get(mediaOf(added)) ?? said?.guid
    if (guid === undefined || isShared(added.podcast, guid) || (said?.isShared && said.guid === guid))
      return guids.get(mediaOf(added)) === guid ? mediaOf(added) : undefined
    return named(added.podcast, guid)
  }
  const isRepeat = (added: EpisodeAction) => {
    if (added.position !== TOTAL || (added.started !== undefined && added.started !== TOTAL)) return false
    const episode = episodeBy(added)
    const states = log.filter((one) => isState(one) && episodeOf(one) === episode)
    const state = states.toSorted((one, other) => one.at - other.at).at(-1)
    const own = states.findLast(({ device }) => device === added.device)
    return isFinished(state) || (added.started !== undefined && isFinished(own))
  }

  return {
    /** Whether the feed says something else than before. */
    teach(said: Taught): void {
      const media = `${A} ${said.url}`
      const former = feed.get(media)?.guid
      feed.set(media, said)
      const isHeard = log.some((one) => mediaOf(one) === media)
      if (isHeard && (!guids.has(media) || guids.get(media) === former)) guids.set(media, said.guid)
    },
    add(added: EpisodeAction, seq: number): boolean {
      const media = mediaOf(added)
      const isHeard = log.some((one) => mediaOf(one) === media)
      if (isHeard && !guids.has(media) && added.guid !== undefined) guids.set(media, added.guid)
      if (isRepeat(added) || log.some(sameAs(added))) return false
      log.push({ ...added, seq })
      const guid = added.guid ?? guids.get(media) ?? feed.get(media)?.guid
      if (guid !== undefined) guids.set(media, guid)
      return true
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
    /** All of them, as actions of the podcast at B. */
    moved(): EpisodeAction[] {
      const all = log.map((one) => ({ ...one, podcast: B }))
      return all.filter((one, index) => all.findIndex(sameAs(one)) === index)
    },
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
  const states = model.list({ since: 0, aggregated: true })
  const begun = states.filter(({ kind, position = 0 }) => kind === 'play' && position > 0 && position < TOTAL)
  expect((await inProgress(store, ida)).toSorted(byText)).toEqual(begun.map(placeOf).toSorted(byText))
  for (const since of [0, ...model.seqs().slice(-3)]) {
    const query = { since, aggregated: true, onlyStates: true }
    expect([query, await listActions(store, ida, query)]).toEqual([query, model.list(query)])
  }
}

const byText = (one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
const placeOf = ({ podcast, episode, at, device, position }: EpisodeAction) => ({
  ...{ podcast, episode, at, device, position },
})

/** Page by page, each of which goes on where the one before has ended. */
async function inProgress(store: Store, ida: UserId) {
  const found = []
  for (let before: Before | undefined; ; ) {
    const { items, next } = await store.inbox.inProgress(ida, { before, limit: 2 })
    found.push(...items.flatMap(({ action }) => (action ? placeOf(action) : [])))
    before = next
    if (!before) break
  }
  expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).toSorted((one, other) => other - one))
  return found
}

async function save(store: Store, said: Taught): Promise<void> {
  const { url, guid, isShared } = said
  const fingerprint = isShared ? `.${url}.${guid}` : `${guid}.${url}.`
  const feed = await store.feeds.find(A)
  if (!feed) throw new Error('the podcast is not known')
  await store.feeds.saveEpisodes(feed.id, [{ ...fingerprinted(feedEpisode({ url, guid })), fingerprint }], T)
}

/** Which action it is, whatever it is told by. */
const lines = (actions: readonly EpisodeAction[]) =>
  actions.map(({ episode: _, guid: __, seq: ___, ...rest }: Partial<Logged>) => JSON.stringify(rest, KEYS)).toSorted()
const KEYS = ['podcast', 'kind', 'at', 'device', 'started', 'position', 'total']

test('an episode is one by whatever media URLs it comes, told by the last one, and finished once', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const store = createSqliteStore(openMemoryDatabase())
      const ida = await addUser(store)
      const ole = await addUser(store, 'ole')
      await change(store, ole, 'phone', { add: [A, B] })
      const model = createModel()
      let clock = 0
      for (const step of all) {
        if (!Array.isArray(step)) {
          model.teach(step)
          await save(store, step)
          continue
        }
        const seq = Math.max(T, clock + 2)
        const added = step.filter((one) => model.add(one, seq))
        clock = added.length > 0 ? seq : clock
        expect(await report(store, ida, step)).toBe(clock)
        await report(store, ole, step.slice(0, 2))
      }
      await compare(store, ida, model)
      await store.upgrades.moveActions(ida, { from: A, to: B }, T)
      expect(lines(await listActions(store, ida))).toEqual(lines(model.moved()))
    }),
    { numRuns: 100 },
  )
})
