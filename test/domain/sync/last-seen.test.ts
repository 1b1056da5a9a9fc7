import { describe, expect, test } from 'bun:test'
import { DomainError } from '../../../src/domain/shared/errors.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { createLastSeen } from '../../../src/domain/sync/devices.ts'
import type { DeviceLastSeen } from '../../../src/domain/sync/ports/devices.ts'
import { createHintHub } from '../../../src/http/live/hub.ts'
import { createBackground } from '../../../src/platform/background.ts'
import { systemTimer } from '../../../src/platform/clock.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { T } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'
import { reasonOf } from '../../support/values.ts'

const IDA = 1 as UserId
const OLE = 12 as UserId

/** Times over a store whose writes can be held or made to fail. */
function open() {
  const clock = fakeClock(T)
  const faults: unknown[] = []
  const background = createBackground((error) => faults.push(error))
  const { devices } = createSqliteStore(openMemoryDatabase())
  const saved: (readonly DeviceLastSeen[])[] = []
  let write = async (): Promise<void> => undefined
  const noteLastSeen: typeof devices.noteLastSeen = async (lastSeen) => {
    saved.push(lastSeen)
    await write()
  }
  const lastSeen = createLastSeen({ ...devices, noteLastSeen }, clock, background, createHintHub(systemTimer))
  const failWith = (error: unknown) => {
    write = () => Promise.reject(error)
  }
  /** Holds writes until the returned function is called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    write = () => promise
    return resolve
  }
  return { clock, lastSeen, saved, background, faults, failWith, hold }
}

const FULL_DISK = new DomainError('unavailable', 'the disk is full')

describe('times when devices were last seen', () => {
  test('are kept until they are written, and later ones are written next', async () => {
    const { clock, lastSeen, saved, hold } = open()
    const note = () => {
      clock.advance(5)
      lastSeen.note(IDA, 'phone')
    }
    note()
    note()
    const written = hold()
    const saving = lastSeen.save()
    expect(lastSeen.latest(IDA, 'phone')).toBe(T + 10)
    note()
    written()
    await saving
    expect(lastSeen.latest(IDA, 'phone')).toBe(T + 15)
    await lastSeen.save()
    expect(lastSeen.latest(IDA, 'phone')).toBeUndefined()
    expect(saved).toEqual([10, 15].map((after) => [{ userId: IDA, uid: 'phone', at: T + after }]))
  })

  test('of users with similar IDs are separate', () => {
    const { lastSeen } = open()
    lastSeen.note(IDA, '2 phone')
    expect([lastSeen.latest(OLE, 'phone'), lastSeen.latest(IDA, '2 phone')]).toEqual([undefined, T])
  })

  test('survive a full disk, unless there are newer ones', async () => {
    const { clock, lastSeen, failWith, saved } = open()
    lastSeen.note(IDA, 'phone')
    lastSeen.note(IDA, 'desk')
    failWith(FULL_DISK)
    const saving = lastSeen.save()
    clock.advance(5)
    lastSeen.note(IDA, 'phone')
    await saving
    expect([lastSeen.latest(IDA, 'phone'), lastSeen.latest(IDA, 'desk')]).toEqual([T + 5, T])
    await lastSeen.save()
    expect(saved[1]).toHaveLength(2)
  })

  test('do not hide an internal error', async () => {
    const { lastSeen, failWith } = open()
    lastSeen.note(IDA, 'phone')
    failWith(new Error('bug'))
    expect(await reasonOf(lastSeen.save())).toMatchObject({ message: 'bug' })
  })

  test('are forgotten if the device is removed while they are written', async () => {
    const { lastSeen, hold } = open()
    lastSeen.note(IDA, 'phone')
    const written = hold()
    const saving = lastSeen.save()
    lastSeen.forget(IDA, 'phone')
    expect(lastSeen.latest(IDA, 'phone')).toBeUndefined()
    written()
    await saving
  })

  test.each([
    ['written early', 25_000, false],
    ['dropped, so that they do not pile up, if the disk is full as well', 40_000, true],
  ])('are %s when a user names very many devices', async (_what, count, isFull) => {
    const { lastSeen, failWith, background, saved } = open()
    if (isFull) failWith(FULL_DISK)
    for (let n = 0; n < count; n++) {
      lastSeen.note(IDA, `device ${n}`)
      if (n % 100 === 0) await background.idle()
    }
    await background.idle()
    expect(saved.length).toBeGreaterThanOrEqual(2)
    for (const times of saved) expect(times.length).toBeLessThanOrEqual(1000)
  })
})
