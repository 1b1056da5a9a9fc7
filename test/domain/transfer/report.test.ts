import { expect, test } from 'bun:test'
import { beginTally } from '../../../src/domain/transfer/report.ts'

test('a report can be continued', () => {
  const first = beginTally()
  first.add('devices', 1, 2)
  first.skip('devices', 'no ID', ['a', 'b', 'c'])
  first.progress(5, 10)
  const second = beginTally(first.report())
  second.add('devices', 3, 0)
  second.skip('devices', 'no ID', ['d', 'e', 'f'])
  second.skip('chapters', 'no ID', [], 2)
  second.skip('chapters', 'nothing', [])
  expect(second.report()).toEqual({
    counts: {
      devices: { imported: 4, present: 2, skipped: 6 },
      chapters: { imported: 0, present: 0, skipped: 2 },
    },
    skipped: [
      { what: 'devices', reason: 'no ID', count: 6, examples: ['a', 'b', 'c', 'd', 'e'] },
      { what: 'chapters', reason: 'no ID', count: 2, examples: [] },
    ],
    done: 5,
    total: 10,
  })
})

test('invented reasons and examples do not make a report large', () => {
  const tally = beginTally()
  for (let n = 0; n < 1000; n++) tally.skip('settings', `${n} ${'r'.repeat(1000)}\ud800`, ['e'.repeat(1000)])
  const { counts, skipped } = tally.report()
  expect(counts.settings).toEqual({ imported: 0, present: 0, skipped: 1000 })
  expect(skipped).toHaveLength(101)
  expect(skipped.at(-1)).toMatchObject({ reason: 'other reasons', count: 900 })
  expect(JSON.stringify(skipped).length).toBeLessThan(101 * 1600)
})
