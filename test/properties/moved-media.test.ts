import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { EpisodeAction } from '../../src/domain/sync/ports/episode-actions.ts'
import { A, action, addUser, B, C, change, listActions, report, T } from '../store/contract/fixtures.ts'
import { leads } from '../store/contract/sync/address-world.ts'
import { storeOpener } from '../support/store.ts'

const openStore = storeOpener()

/** Media URLs and the guids that apps may send with them. Two of them are one episode. */
const GUIDS = {
  'https://cdn.example/1': 'fog',
  'https://cdn.example/2': 'fog',
  'https://cdn.example/3': 'ebb',
} as const
const MEDIA = Object.keys(GUIDS) as (keyof typeof GUIDS)[]

const play = fc.record({
  podcast: fc.constantFrom(A, A, B, B, C),
  episode: fc.constantFrom(...MEDIA),
  isNamed: fc.nat(3).map((n) => n === 0),
})
/** Booleans start or end the redirect from A to B. */
const steps = fc.array(fc.oneof({ weight: 5, arbitrary: play }, { weight: 2, arbitrary: fc.boolean() }), {
  minLength: 1,
  maxLength: 25,
})

/** The simplest implementation of docs/protocol.md#D84: the position of each episode, with A and B as one podcast. */
function positionsOf(log: readonly EpisodeAction[]): number[] {
  const podcastOf = ({ podcast }: EpisodeAction) => (podcast === C ? C : A)
  const guids = new Map<string, string>()
  for (const each of log) if (each.guid) guids.set(`${podcastOf(each)} ${each.episode}`, each.guid)
  const latest = new Map<string, number>()
  for (const each of log) {
    const media = `${podcastOf(each)} ${each.episode}`
    const guid = guids.get(media)
    latest.set(guid ? `${podcastOf(each)} guid ${guid}` : media, each.position ?? 0)
  }
  return [...latest.values()].toSorted((one, other) => one - other)
}

/** A media URL whose guid changes, as in a feed that replaces its file every day. */
const renamed = fc.record({
  podcast: fc.constantFrom(A, A, B, C),
  episode: fc.constantFrom(...MEDIA),
  guid: fc.constantFrom(undefined, 'monday', 'tuesday', 'wednesday'),
})

test('an action keeps the guid that it names when addresses become one podcast', async () => {
  const steps = fc.array(fc.oneof({ weight: 5, arbitrary: renamed }, { weight: 2, arbitrary: fc.boolean() }), {
    maxLength: 25,
  })
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (list, isMoved) => {
      const store = openStore()
      const [ida, ole] = [await addUser(store), await addUser(store, 'ole')]
      await change(store, ole, 'old', { add: [A, B, C] })
      const named: (string | undefined)[] = []
      for (const step of list) {
        if (typeof step === 'boolean') await leads({ store }, A, ...(step ? [B] : []))
        else {
          const position = named.length
          named.push(step.guid)
          await report(store, ida, [
            action({ kind: 'play', ...step, started: 0, position, total: 999, at: T + position }),
          ])
        }
      }
      if (isMoved) await store.upgrades.moveActions(ida, { from: A, to: B }, T)
      const listed = await listActions(store, ida)
      expect(listed.map(({ position }) => position)).toEqual(named.map((_, n) => n))
      for (const { guid, position = 0 } of listed)
        if (guid !== undefined && named[position] !== undefined) expect(guid).toBe(named[position] ?? '')
    }),
    { numRuns: 60, endOnFailure: true },
  )
}, 60_000)

test('episodes do not depend on when two addresses became one podcast', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const store = openStore()
      const [ida, ole] = [await addUser(store), await addUser(store, 'ole')]
      await change(store, ole, 'old', { add: [A, B, C] })
      const log: EpisodeAction[] = []
      for (const [n, step] of list.entries()) {
        if (typeof step === 'boolean') await leads({ store }, A, ...(step ? [B] : []))
        else {
          const { podcast, episode, isNamed } = step
          const guid = isNamed ? GUIDS[episode] : undefined
          const one = action({ kind: 'play', podcast, episode, guid, started: 0, position: n, total: 999, at: T + n })
          log.push(one)
          await report(store, ida, [one], T + n)
        }
      }
      await leads({ store }, A, B)
      const states = await listActions(store, ida, { aggregated: true })
      expect(states.map(({ position }) => position ?? 0).toSorted((one, other) => one - other)).toEqual(
        positionsOf(log),
      )
    }),
    { numRuns: 100, endOnFailure: true },
  )
})
