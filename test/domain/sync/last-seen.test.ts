import { describe, expect, test } from 'bun:test'
import { DomainError } from '../../../src/domain/shared/errors.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { createLastSeen } from '../../../src/domain/sync/devices.ts'
import type { DeviceLastSeen } from '../../../src/domain/sync/ports.ts'
import { createBackground } from '../../../src/platform/background.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { T } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'
import { reasonOf } from '../../support/values.ts'

const IDA = 1 as UserId
const OLE = 12 as UserId

/** Times over a store that takes them when it is told to. */
function open() {
  const clock = fakeClock(T)
  const faults: unknown[] = []
  const background = createBackground((error) => faults.push(error))
  const { devices } = createSqliteStore(openMemoryDatabase())
  const saved: (readonly DeviceLastSeen[])[] = []
  let write = async (): Promise<void> => undefined
  const store = {
    ...devices,
    noteLastSeen: async (lastSeen: readonly DeviceLastSeen[]) => {
      saved.push(lastSeen)
      await write()
    },
  }
  const lastSeen = createLastSeen(store, clock, background)
  const failWith = (error: unknown) => {
    write = () => Promise.reject(error)
  }
  /** Writes take until the returned function is called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    write = () => promise
    return resolve
  }
  return { clock, lastSeen, saved, background, faults, failWith, hold }
}

const FULL_DISK = new DomainError('unavailable', 'the disk is full')

describe('when devices were last seen: the times', () => {
  test('are known until they are written, and no longer', async () => {
    const { clock, lastSeen, saved, hold } = open()
    lastSeen.note(IDA, 'phone')
    clock.advance(5)
    lastSeen.note(IDA, 'phone')
    const written = hold()
    const saving = lastSeen.save()
    expect(lastSeen.latest(IDA, 'phone')).toBe(T + 5)
    written()
    await saving
    expect(lastSeen.latest(IDA, 'phone')).toBeUndefined()
    expect(saved).toEqual([[{ userId: IDA, uid: 'phone', at: T + 5 }]])
  })

  test('of users whose numbers look alike are not mixed up', () => {
    const { lastSeen } = open()
    lastSeen.note(IDA, '2 phone')
    expect([lastSeen.latest(OLE, 'phone'), lastSeen.latest(IDA, '2 phone')]).toEqual([undefined, T])
  })

  test('that come while others are being written are written next', async () => {
    const { clock, lastSeen, saved, hold } = open()
    lastSeen.note(IDA, 'phone')
    const written = hold()
    const saving = lastSeen.save()
    clock.advance(5)
    lastSeen.note(IDA, 'phone')
    expect(lastSeen.latest(IDA, 'phone')).toBe(T + 5)
    written()
    await saving
    expect(lastSeen.latest(IDA, 'phone')).toBe(T + 5)
    await lastSeen.save()
    expect(saved.map(([first]) => first?.at)).toEqual([T, T + 5])
  })

  test('survive a full disk, unless newer ones have come', async () => {
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

  test('do not hide a fault of ours', async () => {
    const { lastSeen, failWith } = open()
    lastSeen.note(IDA, 'phone')
    failWith(new Error('bug'))
    expect(await reasonOf(lastSeen.save())).toMatchObject({ message: 'bug' })
  })

  test('of a device that is removed while they are being written are forgotten', async () => {
    const { lastSeen, hold } = open()
    lastSeen.note(IDA, 'phone')
    const written = hold()
    const saving = lastSeen.save()
    lastSeen.forget(IDA, 'phone')
    expect(lastSeen.latest(IDA, 'phone')).toBeUndefined()
    written()
    await saving
  })

  test('are written early when somebody names very many devices', async () => {
    const { lastSeen, saved, background } = open()
    for (let n = 0; n < 2500; n++) {
      lastSeen.note(IDA, `device ${n}`)
      if (n % 100 === 0) await background.idle()
    }
    await background.idle()
    expect(saved.length).toBeGreaterThanOrEqual(2)
    for (const times of saved) expect(times.length).toBeLessThanOrEqual(1100)
  })

  test('are let go of rather than piled up when the disk is full as well', async () => {
    const { lastSeen, failWith, background, saved } = open()
    failWith(FULL_DISK)
    for (let n = 0; n < 20_000; n++) {
      lastSeen.note(IDA, `device ${n}`)
      if (n % 100 === 0) await background.idle()
    }
    await background.idle()
    for (const times of saved) expect(times.length).toBeLessThanOrEqual(1100)
  })
})
