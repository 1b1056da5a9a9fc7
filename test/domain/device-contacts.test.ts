import { describe, expect, test } from 'bun:test'
import { createDeviceContacts } from '../../src/domain/device-contacts.ts'
import { DomainError } from '../../src/domain/errors.ts'
import type { UserId } from '../../src/domain/ids.ts'
import type { DeviceContact } from '../../src/domain/ports.ts'
import { createBackground } from '../../src/platform/background.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { T } from '../store/contract/fixtures.ts'
import { fakeClock } from '../support/clock.ts'
import { reasonOf } from '../support/reason.ts'

const IDA = 1 as UserId
const OLE = 12 as UserId

/** Contacts over a store that takes them when it is told to. */
function open() {
  const clock = fakeClock(T)
  const faults: unknown[] = []
  const background = createBackground((error) => faults.push(error))
  const { devices } = createSqliteStore(openMemoryDatabase())
  const saved: (readonly DeviceContact[])[] = []
  let write = async (): Promise<void> => undefined
  const store = {
    ...devices,
    noteContacts: async (contacts: readonly DeviceContact[]) => {
      saved.push(contacts)
      await write()
    },
  }
  const contacts = createDeviceContacts(store, clock, background)
  const failWith = (error: unknown) => {
    write = () => Promise.reject(error)
  }
  /** Writes take until the returned function is called. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    write = () => promise
    return resolve
  }
  return { clock, contacts, saved, background, faults, failWith, hold }
}

const FULL_DISK = new DomainError('unavailable', 'the disk is full')

describe('contacts of devices', () => {
  test('are known until they are written, and no longer', async () => {
    const { clock, contacts, saved, hold } = open()
    contacts.note(IDA, 'phone')
    clock.advance(5)
    contacts.note(IDA, 'phone')
    const written = hold()
    const saving = contacts.save()
    expect(contacts.latest(IDA, 'phone')).toBe(T + 5)
    written()
    await saving
    expect(contacts.latest(IDA, 'phone')).toBeUndefined()
    expect(saved).toEqual([[{ userId: IDA, uid: 'phone', at: T + 5 }]])
  })

  test('of users whose numbers look alike are not mixed up', () => {
    const { contacts } = open()
    contacts.note(IDA, '2 phone')
    expect([contacts.latest(OLE, 'phone'), contacts.latest(IDA, '2 phone')]).toEqual([undefined, T])
  })

  test('that come while others are being written are written next', async () => {
    const { clock, contacts, saved, hold } = open()
    contacts.note(IDA, 'phone')
    const written = hold()
    const saving = contacts.save()
    clock.advance(5)
    contacts.note(IDA, 'phone')
    expect(contacts.latest(IDA, 'phone')).toBe(T + 5)
    written()
    await saving
    expect(contacts.latest(IDA, 'phone')).toBe(T + 5)
    await contacts.save()
    expect(saved.map(([contact]) => contact?.at)).toEqual([T, T + 5])
  })

  test('are written by one at a time', async () => {
    const { contacts, saved, hold } = open()
    contacts.note(IDA, 'phone')
    const written = hold()
    const both = Promise.all([contacts.save(), contacts.save()])
    written()
    await both
    expect(saved).toHaveLength(1)
  })

  test('survive a full disk, unless newer ones have come', async () => {
    const { clock, contacts, failWith, saved } = open()
    contacts.note(IDA, 'phone')
    contacts.note(IDA, 'desk')
    failWith(FULL_DISK)
    const saving = contacts.save()
    clock.advance(5)
    contacts.note(IDA, 'phone')
    await saving
    expect([contacts.latest(IDA, 'phone'), contacts.latest(IDA, 'desk')]).toEqual([T + 5, T])
    await contacts.save()
    expect(saved[1]).toHaveLength(2)
  })

  test('do not hide a fault of ours', async () => {
    const { contacts, failWith } = open()
    contacts.note(IDA, 'phone')
    failWith(new Error('bug'))
    expect(await reasonOf(contacts.save())).toMatchObject({ message: 'bug' })
  })

  test('of a device that is removed while they are being written are forgotten', async () => {
    const { contacts, hold } = open()
    contacts.note(IDA, 'phone')
    const written = hold()
    const saving = contacts.save()
    contacts.forget(IDA, 'phone')
    expect(contacts.latest(IDA, 'phone')).toBeUndefined()
    written()
    await saving
  })

  test('are written early when somebody names very many devices', async () => {
    const { contacts, saved, background } = open()
    for (let n = 0; n < 2500; n++) {
      contacts.note(IDA, `device ${n}`)
      if (n % 100 === 0) await background.idle()
    }
    await background.idle()
    expect(saved.length).toBeGreaterThanOrEqual(2)
    for (const contacts of saved) expect(contacts.length).toBeLessThanOrEqual(1100)
  })

  test('are let go of rather than piled up when the disk is full as well', async () => {
    const { contacts, failWith, background, saved } = open()
    failWith(FULL_DISK)
    for (let n = 0; n < 20_000; n++) {
      contacts.note(IDA, `device ${n}`)
      if (n % 100 === 0) await background.idle()
    }
    await background.idle()
    for (const contacts of saved) expect(contacts.length).toBeLessThanOrEqual(1100)
  })
})
