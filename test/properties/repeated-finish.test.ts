import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { EpisodeAction } from '../../src/domain/sync/ports/episode-actions.ts'
import { action, addUser, listActions, report, T } from '../store/contract/fixtures.ts'
import { storeOpener } from '../support/store.ts'

const openStore = storeOpener()

const TOTAL = 60

// Few values, so that repeats occur.
const item = fc.record({
  episode: fc.constantFrom('https://cdn.example/1.mp3', 'https://cdn.example/2.mp3'),
  device: fc.constantFrom('phone', 'desk', undefined),
  at: fc.integer({ min: T, max: T + 30 }),
  what: fc.constantFrom(
    'mark',
    'mark',
    'end',
    'zero',
    'end of zero',
    'over',
    'heard',
    'begun',
    'endless',
    'unplaced',
    'new',
    'download',
  ),
})
type Item = typeof item extends fc.Arbitrary<infer I> ? I : never

const SAID: Record<string, Partial<EpisodeAction>> = {
  mark: { kind: 'play', started: TOTAL, position: TOTAL, total: TOTAL },
  end: { kind: 'play', position: TOTAL, total: TOTAL },
  zero: { kind: 'play', started: 0, position: 0, total: 0 },
  'end of zero': { kind: 'play', position: 0, total: 0 },
  over: { kind: 'play', started: 0, position: TOTAL + 5, total: TOTAL },
  heard: { kind: 'play', started: 0, position: TOTAL, total: TOTAL },
  endless: { kind: 'play', started: 0, position: TOTAL },
  unplaced: { kind: 'play' },
  begun: { kind: 'play', started: 0, position: 5, total: TOTAL },
  new: { kind: 'new' },
  download: { kind: 'download' },
}
const toAction = ({ what, ...rest }: Item): EpisodeAction => action({ ...rest, ...SAID[what] })

/** The simplest implementation of docs/protocol.md#D86 and #D49: the log after an upload of one action. */
function naive(log: readonly EpisodeAction[], added: EpisodeAction): EpisodeAction[] {
  const ofEpisode = log.filter(({ episode, kind }) => episode === added.episode && (kind === 'play' || kind === 'new'))
  const isFinished = ({ position = 0, total = 0 }: Partial<EpisodeAction> = {}) => total > 0 && position >= total
  // The sort is stable: of two actions at the same time, the one uploaded later is the state.
  const state = ofEpisode.toSorted((a, b) => a.at - b.at).at(-1)
  const own = ofEpisode.findLast(({ device }) => device === added.device)
  const isAtEnd = added.position !== undefined && added.position === added.total
  const isMark = isAtEnd && added.started === added.position
  const isEnd = isAtEnd && added.started === undefined
  const isRepeat = ((isMark || isEnd) && isFinished(state)) || (isMark && isFinished(own))
  const isDuplicate = log.some((one) => JSON.stringify(one) === JSON.stringify(added))
  return isRepeat || isDuplicate ? [...log] : [...log, added]
}

test('every action is stored except a repeated "finished", however it is split into uploads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(item, { maxLength: 6 }), { maxLength: 12 }), async (uploads) => {
      const store = openStore()
      const ida = await addUser(store)
      let log: EpisodeAction[] = []
      let clock = 0
      for (const [index, items] of uploads.entries()) {
        const actions = items.map(toAction)
        const before = log.length
        for (const one of actions) log = naive(log, one)
        const after = await report(store, ida, actions, T + 1000 * index)
        expect(after !== clock).toBe(log.length > before)
        clock = after
      }
      expect(await listActions(store, ida)).toEqual(log.toSorted((a, b) => a.at - b.at))
    }),
    { numRuns: 150 },
  )
})
