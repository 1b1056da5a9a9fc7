import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { PodcastId } from '../../../src/domain/shared/ids.ts'
import {
  listedAs,
  planAdd,
  planGroupRemove,
  planRemove,
  planReplace,
  RELATION,
  type Relations,
} from '../../../src/domain/sync/addresses.ts'

const { leadsThere, leadsHere, shares } = RELATION
const id = (n: number) => n as PodcastId
const relations = (...pairs: [number, number][]): Relations => new Map(pairs.map(([n, relation]) => [id(n), relation]))
const ids = (...numbers: number[]) => numbers.map(id)

/** Address 1 leads to 2, and 2 to 3. */
const CHAIN = new Map([
  [id(1), relations([2, leadsThere], [3, leadsThere])],
  [id(2), relations([1, leadsHere], [3, leadsThere])],
  [id(3), relations([1, leadsHere], [2, leadsHere])],
])
const inChain = (address: PodcastId): Relations => CHAIN.get(address) ?? new Map()

test.each([
  ['that the device has changes nothing', 2, [1, 2], [], { kind: 'nothing' }],
  ['of a podcast that it lacks subscribes', 2, [9], [], { kind: 'subscribe' }],
  ['of a podcast that it has replaces the old address', 2, [1], [], { kind: 'rename', from: id(1) }],
  ['replaces an address that leads there, if there is one', 2, [3, 1], [], { kind: 'rename', from: id(1) }],
  ['replaces the oldest address otherwise', 1, [3, 2], [], { kind: 'rename', from: id(3) }],
  ['together with where it leads changes nothing', 1, [2], [2, 1], { kind: 'nothing' }],
  ['together with what leads there replaces that', 2, [1], [2, 1], { kind: 'rename', from: id(1) }],
])('adding an address %s', (_what, address, held, sent, plan) => {
  const planned = planAdd(id(address), inChain(id(address)), ids(...held), new Set(ids(...sent)))
  expect(planned).toEqual(plan as ReturnType<typeof planAdd>)
})

describe('removing an address', () => {
  const removal = { wasHeld: false, isExchanged: false }

  test.each([
    ['that the device has', 1, [1], {}, { removedIds: ids(1), remaining: 'nothing' }],
    ['that it never had', 3, [1], {}, { removedIds: ids(1), remaining: 'nothing' }],
    ['that it never had, with several copies', 3, [1, 2], {}, { removedIds: ids(1, 2), remaining: 'nothing' }],
    ['of a second copy', 1, [1, 2], {}, { removedIds: ids(1), remaining: 'another copy' }],
    ['that it has replaced', 1, [2], { wasHeld: true }, { removedIds: [], remaining: 'all' }],
    ['that it replaced, if the feed is back', 3, [1], { wasHeld: true }, { removedIds: ids(1), remaining: 'nothing' }],
    ['that the same upload replaces', 1, [1], { isExchanged: true }, { removedIds: [], remaining: 'all' }],
    ['to which the upload returns', 3, [1], { isExchanged: true }, { removedIds: [], remaining: 'all' }],
    ['of a podcast that it no longer has', 1, [], { wasHeld: true }, { removedIds: [], remaining: 'nothing' }],
  ])('%s', (_what, address, held, fields, plan) => {
    const asked = { address: id(address), relations: inChain(id(address)), held: ids(...held), ...removal, ...fields }
    expect(planRemove(asked)).toEqual(plan as ReturnType<typeof planRemove>)
  })

  test('takes from the group what the device no longer has, or the very copy that was named', () => {
    expect(planGroupRemove(id(1), ids(2, 3), { removedIds: [], remaining: 'nothing' })).toEqual(ids(2, 3))
    expect(planGroupRemove(id(1), ids(1, 2), { removedIds: ids(1), remaining: 'another copy' })).toEqual(ids(1))
    expect(planGroupRemove(id(1), ids(1), { removedIds: ids(1), remaining: 'another copy' })).toEqual([])
    expect(planGroupRemove(id(1), ids(1, 2), { removedIds: [], remaining: 'all' })).toEqual([])
  })
})

describe('a whole list', () => {
  test.each([
    ['keeps the addresses in it', [1, 2], [1, 2], [1, 2], [], []],
    ['keeps a copy under another address', [3], [1], [1], [[1, 3]], []],
    ['gives each copy to one address, exact matches first', [3, 1], [1, 2], [1, 2], [[2, 3]], []],
    ['gives a copy to the address that the others lead to', [2, 3], [1], [1], [[1, 3]], []],
    ['gives the oldest copy first', [3], [2, 1], [2], [[2, 3]], []],
    ['adds a podcast once, at the address that the others lead to', [1, 2, 3, 9], [], [], [], [3, 9]],
    ['adds no second copy', [1, 2, 3], [1], [1], [], []],
    ['drops other podcasts', [1], [1, 3], [1], [], []],
  ])('%s', (_what, given, held, kept, renamed, added) => {
    const plan = planReplace(ids(...given), ids(...held), inChain)
    expect([...plan.retained]).toEqual(ids(...kept))
    expect([...plan.renamed]).toEqual(renamed.map(([from = 0, to = 0]) => [id(from), id(to)]))
    expect(plan.added).toEqual(ids(...added))
  })

  test('never keeps more copies than it has addresses, and has no effect when it is sent again', () => {
    const some = fc.uniqueArray(fc.constantFrom(...ids(1, 2, 3, 4)))
    fc.assert(
      fc.property(some, some, (given, held) => {
        const { retained: kept, renamed, added } = planReplace(given, held, inChain)
        const left = [...[...kept].map((each) => renamed.get(each) ?? each), ...added]
        expect(kept.size + added.length).toBeLessThanOrEqual(given.length)
        const again = planReplace(given, left, inChain)
        expect(again.retained).toEqual(new Set(left))
        expect([again.renamed.size, again.added.length]).toEqual([0, 0])
      }),
    )
  })
})

describe('a podcast with several addresses is listed with', () => {
  test.each([
    ['the one that the others lead to', [1, 2, 3, 9], [3, 9]],
    ['the nearest available one to that', [1, 2], [2]],
  ])('%s', (_which, all, listed) => {
    expect([...new Set(listedAs(ids(...all), inChain).values())]).toEqual(ids(...listed))
  })

  test('the first one if none leads to another, or each leads to each', () => {
    for (const relation of [shares, leadsThere | leadsHere]) {
      const both = new Map([
        [id(1), relations([2, relation])],
        [id(2), relations([1, relation])],
      ])
      const listed = listedAs(ids(2, 1), (each) => both.get(each) ?? new Map())
      expect([...listed]).toEqual([
        [id(2), id(2)],
        [id(1), id(2)],
      ])
    }
  })

  test('one of them, in any graph of relations', () => {
    const relation = fc.constantFrom(0, leadsThere, leadsHere, leadsThere | leadsHere, shares)
    fc.assert(
      fc.property(
        fc.array(fc.array(relation, { minLength: 6, maxLength: 6 }), { minLength: 6, maxLength: 6 }),
        (table) => {
          const of = (each: PodcastId): Relations =>
            new Map(
              (table[each] ?? []).flatMap((value, other) => (value > 0 && other !== each ? [[id(other), value]] : [])),
            )
          const all = ids(0, 1, 2, 3, 4, 5)
          const listed = listedAs(all, of)
          expect([...listed.keys()]).toEqual(all)
          expect(all).toEqual(expect.arrayContaining([...listed.values()]))
        },
      ),
    )
  })
})
