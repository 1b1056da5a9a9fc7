import { describe, expect, test } from 'bun:test'
import type { PodcastId } from '../../../src/domain/shared/ids.ts'
import { describeChange } from '../../../src/domain/sync/list-changes/list-changes.ts'
import type { ListChangeKind } from '../../../src/domain/sync/list-changes/ports.ts'
import {
  checkRestoreTime,
  type DeviceChange,
  KEPT_SECONDS,
  planRestore,
  revertChange,
  startPastList,
} from '../../../src/domain/sync/list-changes/restoring.ts'

const ids = (...numbers: number[]) => numbers as PodcastId[]
const changed = (change: Partial<DeviceChange>): DeviceChange => ({ added: [], removed: [], renamed: [], ...change })
const renamed = (...pairs: [number, number][]) =>
  changed({ renamed: pairs.map(([from, to]) => [from as PodcastId, to as PodcastId]) })

test.each<[string, number[], DeviceChange[], number[]]>([
  ['an addition', [1, 2], [changed({ added: ids(2) })], [1]],
  ['a removal', [1], [changed({ removed: ids(2, 3) })], [1, 2, 3]],
  ['an addition and its removal', [], [changed({ removed: ids(1) }), changed({ added: ids(1) })], []],
  ['a podcast added under an earlier address', [2], [renamed([1, 2]), changed({ added: ids(1) })], []],
  ['the removal of a podcast at its earlier address', [], [renamed([2, 3]), changed({ removed: ids(2) })], [3]],
  ['two new addresses in succession', [3], [renamed([1, 2], [2, 3]), changed({ added: ids(1) })], []],
  ['a new address and the old one again', [1], [renamed([2, 1]), renamed([1, 2]), changed({ added: ids(1) })], []],
  ['an addition that is renamed at once', [2], [{ ...renamed([1, 2]), added: ids(1) }], []],
])('changes are reverted, newest first: %s', (_, now, changes, before) => {
  const list = startPastList(ids(...now))
  for (const change of changes) revertChange(list, change)
  expect([...list.held].toSorted((one, other) => one - other)).toEqual(ids(...before))
})

const at = (time: number) => ({ time, now: 1000, start: 500 })

describe('the lists to restore', () => {
  const device = (id: number, syncGroupId: number | null, past?: number[]) => ({
    ...{ id, syncGroupId },
    past: past && new Set(ids(...past)),
  })
  const unit = (devices: number[], podcasts: number[]) => ({ devices, podcasts: new Set(ids(...podcasts)) })

  test.each<[string, Parameters<typeof planRestore>, ReturnType<typeof planRestore>]>([
    ['single devices get their own', [[device(1, null, [1]), device(2, null, [2])]], [unit([1], [1]), unit([2], [2])]],
    ['or only the requested device', [[device(1, null, [1]), device(2, null, [2])], 2], [unit([2], [2])]],
    ['a group gets what any of its devices had', [[device(1, 7, [1]), device(2, 7, [2])]], [unit([1, 2], [1, 2])]],
    ['or what the requested device had', [[device(1, 7, [1]), device(2, 7, [2])], 2], [unit([1, 2], [2])]],
    ['a later device gets what the others had', [[device(1, 7, [1]), device(2, 7)], 2], [unit([1, 2], [1])]],
    ['devices that did not exist are left alone', [[device(1, null), device(2, null, [])]], [unit([2], [])]],
    ['in groups, too', [[device(1, 7), device(2, 7)]], []],
  ])('%s', (_, [devices, only], units) => {
    expect(planRestore(devices, only)).toEqual(units)
  })
})

const DAYS_90 = 'changes of lists are known since'

test.each<[string, Parameters<typeof checkRestoreTime>[0], string | undefined]>([
  ['a second in the future', at(1001), 'time: expected a time in the past, got 1001; now it is 1000'],
  ['now', at(1000), undefined],
  ['the start of the changes', at(500), undefined],
  ['before that', at(499), `time: ${DAYS_90} 500, got 499; choose a later time`],
  ['90 days ago, for an old account', { time: KEPT_SECONDS, now: 2 * KEPT_SECONDS, start: 1 }, undefined],
  ['before that, for an old account', { time: KEPT_SECONDS - 1, now: 2 * KEPT_SECONDS, start: 1 }, DAYS_90],
])('the time of a restore: %s', (_, asked, message) => {
  const check = () => checkRestoreTime(asked)
  if (message === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(message)
})

const ADDED = 'added 9 podcasts'
const BOTH = `${ADDED} and removed 1 podcast`

test.each<[ListChangeKind, number, number, string, string]>([
  ['upload', 1, 0, 'Pixel 8 added 1 podcast', 'A device that is gone added 1 podcast'],
  ['replace', 0, 23, 'Pixel 8 removed 23 podcasts', 'A device that is gone removed 23 podcasts'],
  ['upload', 9, 1, `Pixel 8 ${BOTH}`, `A device that is gone ${BOTH}`],
  ['sync', 9, 0, `Devices were put in sync, which ${ADDED}`, `Devices were put in sync, which ${ADDED}`],
  ['join', 9, 0, `Pixel 8 joined the other devices, which ${ADDED}`, `Devices joined the others, which ${ADDED}`],
  ['exchange', 1, 1, '1 podcast got a new address', '1 podcast got a new address'],
  ['import', 9, 0, `An import ${ADDED} on Pixel 8`, `An import ${ADDED}`],
  ['restore', 9, 1, `The list of Pixel 8 was restored, which ${BOTH}`, `All lists were restored, which ${BOTH}`],
  ['device', 0, 5, 'Pixel 8 was deleted with 5 podcasts', 'A device that is gone was deleted with 5 podcasts'],
])('the text of a change: %s of %d and %d', (kind, added, removed, text, nameless) => {
  const counts = { added: { count: added, first: [] }, removed: { count: removed, first: [] } }
  expect(describeChange({ kind, device: { uid: 'p', caption: 'Pixel 8' }, ...counts })).toBe(text)
  expect(describeChange({ kind, device: undefined, ...counts })).toBe(nameless)
})
