import { expect } from 'bun:test'
import type { UserId } from '../../src/domain/shared/ids.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { reasonOf } from '../support/values.ts'
import { applySetting, leave, meet, regroup, type Sharing, type SharingDevice } from './sharing-model.ts'

/** One generated event. Numbers are taken modulo the number of users, devices or past steps. */
export type Step = Readonly<
  | { kind: 'poll'; user: number; device: number }
  | { kind: 'delete'; user: number; device: number }
  /** Registers the device, as apps do first. */
  | { kind: 'name'; user: number; device: number }
  /** `isBlind`: by an app that has not read from the server before. */
  | {
      kind: 'upload'
      user: number
      device: number
      isBlind: boolean
      add: readonly string[]
      remove: readonly string[]
    }
  | { kind: 'put'; user: number; device: number; isBlind: boolean; urls: readonly string[] }
  | { kind: 'setting'; user: number; isAutoSync: boolean; except: readonly number[] }
  | { kind: 'regroup'; user: number; synchronize: readonly (readonly number[])[]; stop: readonly number[] }
  | { kind: 'clock'; jump: boolean; seconds: number }
  /** Restores one device or all to the time of an earlier step, or the second before. */
  | { kind: 'restore'; user: number; device: number | undefined; step: number; before: 0 | 1 }
>

/** A device with one app, as both sides see it. */
interface Device extends SharingDevice {
  /** When it was created, by the wall clock and as the number of steps before. */
  born: { readonly at: number; readonly step: number }
  /** Subscriptions in the app. */
  readonly local: Set<string>
  since: number
  hasPolled: boolean
  /** Some apps store `timestamp + 1`. */
  readonly keeps: 0 | 1
  /** Its own changes that it may receive: after PUT, which has no timestamp, and by D14b. */
  readonly echo: Set<string>
}

/** The lists before a step. */
interface Past {
  readonly at: number
  readonly held: ReadonlyMap<SharingDevice, ReadonlySet<string> | undefined>
}

interface Person extends Sharing {
  readonly id: UserId
  readonly name: string
  readonly devices: readonly Device[]
  readonly madeAt: number
  readonly history: Past[]
}

export interface World {
  readonly app: TestApp
  readonly people: readonly Person[]
}

export async function createWorld(deviceCounts: readonly number[]): Promise<World> {
  const app = startTestApp()
  const people: Person[] = []
  for (const [n, count] of deviceCounts.entries()) {
    const name = `user${n}`
    const account = { username: name, password: 'seaglass', email: '' }
    const { id } = await app.services.administration.create(account, false, COMMAND_LINE)
    people.push({
      id,
      name,
      madeAt: app.clock.seconds(),
      isAutoSync: false,
      except: new Set(),
      history: [],
      devices: Array.from({ length: count }, (_, index) => newDevice(index)),
    })
  }
  return { app, people }
}

function newDevice(index: number): Device {
  const device: Device = {
    uid: `device${index}`,
    held: undefined,
    born: { at: 0, step: 0 },
    group: new Set(),
    local: new Set(),
    since: 0,
    hasPolled: false,
    keeps: index % 2 === 0 ? 0 : 1,
    unread: new Set(),
    echo: new Set(),
    hasSent: false,
  }
  device.group.add(device)
  return device
}

const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index % list.length]
  if (item === undefined) throw new Error('nothing to choose from')
  return item
}

const syncClient = (person: Person, device: Device) => ({
  userId: person.id,
  client: `app on ${person.name}'s ${device.uid}`,
})

/** Does one step on both sides, and compares the server's answers with the model. */
export async function take(world: World, step: Step): Promise<void> {
  const { app, people } = world
  if (step.kind === 'clock') {
    if (step.jump) app.clock.jump(step.seconds)
    else app.clock.advance(Math.abs(step.seconds))
    return
  }
  const person = at(people, step.user)
  if (step.kind === 'restore') return restore(world, person, step)
  const now = app.clock.seconds()
  const unknown = new Set(person.devices.filter(({ held }) => held === undefined))
  const past = pastOf(person, now)
  const before = person.history.length
  await takeBy(world, person, step)
  const hasChanged = ({ held }: SharingDevice, was: ReadonlySet<string> | undefined) =>
    (was && !held) || (held?.symmetricDifference(was ?? new Set()).size ?? 0) > 0
  if ([...past.held].some(([device, was]) => hasChanged(device, was))) person.history.push(past)
  for (const device of unknown) if (device.held) device.born = { at: now, step: before }
}

function pastOf({ devices }: Person, now: number): Past {
  return { at: now, held: new Map(devices.map((device) => [device, device.held && new Set(device.held)])) }
}

type DeviceStep = Exclude<Step, { kind: 'clock' | 'restore' }>

async function takeBy(world: World, person: Person, step: DeviceStep): Promise<void> {
  const { app } = world
  if (step.kind === 'regroup') return changeGroups(world, person, step.synchronize, step.stop)
  if (step.kind === 'setting') return changeSetting(world, person, step)
  const device = at(person.devices, step.device)
  if (step.kind === 'poll') return poll(world, person, device)
  if (step.kind === 'delete') return remove(world, person, device)
  if (step.kind === 'name') {
    await app.services.devices.update(person.id, device.uid, {})
    return meet(person, device)
  }
  // An app may write once before it has read, but only under `auto_sync`.
  const isBlind = step.isBlind && person.isAutoSync && !device.hasSent
  if (!device.hasPolled && !isBlind) await poll(world, person, device)
  if (step.kind === 'put') await put(world, person, device, step.urls)
  else await upload(world, person, device, step)
}

async function put(world: World, person: Person, device: Device, urls: readonly string[]): Promise<void> {
  const others = [...(device.held ?? [])].filter((url) => !urls.includes(url))
  const isFirst = person.isAutoSync && !device.hasSent && device.group.size > 1
  device.local.clear()
  for (const url of urls) device.local.add(url)
  // Feeds that stay are not sent to the app again.
  if (isFirst) for (const url of others) if (!device.unread.has(url)) device.local.add(url)
  await world.app.services.subscriptions.replace(person.id, device.uid, [urls.map((url) => ({ url }))])
  for (const url of change(device, urls, isFirst ? [] : others)) device.echo.add(url)
  meet(person, device)
  device.hasSent = true
  // A list has no timestamp, and without one an app gets no removals.
  if (!device.hasPolled) await poll(world, person, device)
}

interface Upload {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

async function upload({ app }: World, person: Person, device: Device, { add, remove }: Upload): Promise<void> {
  const isNew = device.held === undefined
  const removed = remove.filter((url) => !add.includes(url))
  for (const url of add) device.local.add(url)
  for (const url of removed) device.local.delete(url)
  const { timestamp } = await app.services.subscriptions.upload(syncClient(person, device), device.uid, {
    add,
    remove: removed,
  })
  device.since = timestamp + device.keeps
  const own = change(device, add, removed)
  meet(person, device)
  device.hasSent = true
  const mayEcho = (isNew && person.isAutoSync) || device.unread.size > 0 || device.echo.size > 0
  if (mayEcho) for (const url of own) device.echo.add(url)
}

/** Applies a change to the device and its group; returns the feeds that it changed on the device itself. */
function change(device: Device, add: readonly string[], remove: readonly string[]): string[] {
  device.held ??= new Set()
  const own: string[] = []
  for (const member of device.group) {
    const held = member.held ?? new Set()
    const effective = [...add.filter((url) => !held.has(url)), ...remove.filter((url) => held.has(url))]
    for (const url of add) held.add(url)
    for (const url of remove) held.delete(url)
    for (const url of effective) {
      if (member === device) {
        own.push(url)
        // The app's own later change counts.
        member.unread.delete(url)
      } else member.unread.add(url)
    }
  }
  return own
}

async function poll({ app }: World, person: Person, device: Device): Promise<void> {
  if (person.isAutoSync) meet(person, device)
  const changes = await app.services.subscriptions.changesSince(syncClient(person, device), device.uid, device.since)
  const { timestamp } = changes
  const [add, remove] = [changes.add, changes.remove]
  const received = new Set([...add, ...remove])
  expect(received.size).toBe(add.length + remove.length)
  if (device.since === 0) {
    expect(remove).toEqual([])
    expect(new Set(add)).toEqual(new Set(device.held))
  } else {
    // No change is missed or sent twice.
    expect([...device.unread].filter((url) => !received.has(url))).toEqual([])
    expect([...received].filter((url) => !device.unread.has(url) && !device.echo.has(url))).toEqual([])
  }
  for (const url of add) device.local.add(url)
  for (const url of remove) device.local.delete(url)
  expect(device.local).toEqual(new Set(device.held))
  device.unread.clear()
  device.echo.clear()
  device.since = timestamp + device.keeps
  device.hasPolled = true
}

async function changeGroups(
  { app }: World,
  person: Person,
  synchronize: readonly (readonly number[])[],
  stop: readonly number[],
): Promise<void> {
  const lists = synchronize.map((list) => list.map((index) => at(person.devices, index)))
  const leaving = stop.map((index) => at(person.devices, index))
  const request = {
    synchronize: lists.map((list) => list.map(({ uid }) => uid)),
    stop: leaving.map(({ uid }) => uid),
  }
  if ([...lists.flat(), ...leaving].some(({ held }) => held === undefined)) {
    expect(await reasonOf(app.services.syncGroups.regroup(person.id, request))).toMatchObject(unknown)
    return
  }
  await app.services.syncGroups.regroup(person.id, request)
  regroup(person, lists, leaving)
}

type Setting = Extract<Step, { kind: 'setting' }>

async function changeSetting({ app }: World, person: Person, { isAutoSync, except }: Setting): Promise<void> {
  const uids = [...new Set(except.map((index) => at(person.devices, index).uid))]
  const set = { auto_sync: isAutoSync, auto_sync_except: uids }
  await app.services.settings.change(person.id, { scope: 'account' }, { set, remove: [] })
  applySetting(person, { isAutoSync, except: uids })
}

/** Deletes the device on the server; its app forgets everything and starts like a new one. */
async function remove({ app }: World, person: Person, device: Device): Promise<void> {
  const deletion = app.services.devices.remove(person.id, device.uid)
  if (device.held === undefined) {
    expect(await reasonOf(deletion)).toMatchObject(unknown)
    return
  }
  await deletion
  leave(device)
  device.held = undefined
  device.hasSent = false
  for (const set of [device.local, device.unread, device.echo]) set.clear()
  device.since = 0
  device.hasPolled = false
}

/** The list of a device at the end of that second; undefined if the device did not exist. */
function heldAt({ history }: Person, device: Device, time: number): ReadonlySet<string> | undefined {
  if (device.held === undefined || device.born.at > time) return undefined
  const index = history.findIndex((past) => past.at > time)
  if (index < 0) return device.held
  // The clock was set back: the device has the list with which it was created.
  return index < device.born.step ? new Set() : (history[index]?.held.get(device) ?? new Set())
}

const KEPT = 90 * 24 * 3600

async function restore(world: World, person: Person, step: Extract<Step, { kind: 'restore' }>): Promise<void> {
  const { app } = world
  if (person.history.length === 0) return
  const now = app.clock.seconds()
  const time = at(person.history, step.step).at - step.before
  const only = step.device === undefined ? undefined : at(person.devices, step.device)
  const request = { device: only?.uid ?? null, time }
  const restoring = app.services.listHistory.restore(person.id, request)
  if (time > now || time < Math.max(person.madeAt, now - KEPT)) {
    expect(await reasonOf(restoring)).toMatchObject({ code: 'validation_failed', field: 'time' })
    return
  }
  if (only && only.held === undefined) {
    expect(await reasonOf(restoring)).toMatchObject(unknown)
    return
  }
  const groups = new Set<Set<SharingDevice>>(
    (only ? [only] : person.devices.filter(({ held }) => held)).map(({ group }) => group),
  )
  const wanted = new Map<SharingDevice, Set<string>>()
  for (const group of groups) {
    const own = only && heldAt(person, only, time)
    const members = person.devices.filter((device) => group.has(device))
    const pasts = own ? [own] : members.flatMap((device) => heldAt(person, device, time) ?? [])
    const list = new Set(pasts.flatMap((past) => [...past]))
    if (pasts.length > 0) for (const device of group) wanted.set(device, list)
  }
  if (only && wanted.size === 0) {
    expect(await reasonOf(restoring)).toMatchObject({ code: 'validation_failed', field: 'time' })
    return
  }
  const past = pastOf(person, now)
  const changed: string[] = []
  for (const [device, list] of wanted) {
    const before = device.held ?? new Set()
    const different = list.symmetricDifference(before)
    if (different.size > 0) changed.push(device.uid)
    for (const url of different) device.unread.add(url)
    device.held = new Set(list)
  }
  const restored = await restoring
  expect(new Set(restored.devices)).toEqual(new Set(changed))
  if (changed.length > 0) person.history.push(past)
  // Repeating it changes nothing and does not advance the clock.
  expect(await app.services.listHistory.restore(person.id, request)).toEqual({ ...restored, devices: [] })
}

const unknown = { code: 'unknown_device' }

/** Polls with every device once more, then compares all devices, groups and users with the model. */
export async function checkAll(world: World): Promise<void> {
  const { subscriptions, syncGroups } = world.app.services
  for (const person of world.people) {
    const settings = JSON.parse(await world.app.services.settings.read(person.id, { scope: 'account' }))
    expect(new Set(settings.auto_sync_except)).toEqual(person.except)
    for (const device of person.devices) {
      await poll(world, person, device)
      const list = await subscriptions.listDevice(person.id, device.uid)
      expect(list && new Set(list)).toEqual(device.held)
      for (const member of device.group) expect(member.held).toEqual(device.held)
    }
    const { synchronized, notSynchronized } = await syncGroups.status(person.id)
    const known = person.devices.filter(({ held }) => held !== undefined)
    const groups = new Set(known.filter(({ group }) => group.size > 1).map(({ group }) => group))
    const named = (uids: Iterable<string>) => [...uids].toSorted((a, b) => a.localeCompare(b)).join()
    expect(new Set(synchronized.map(named))).toEqual(
      new Set([...groups].map((group) => named([...group].map(({ uid }) => uid)))),
    )
    expect(new Set(notSynchronized)).toEqual(new Set(known.filter(({ group }) => group.size < 2).map(({ uid }) => uid)))
    const union = new Set(known.flatMap(({ held }) => [...(held ?? [])]))
    expect(new Set((await subscriptions.listUser(person.id)).map(({ url }) => url))).toEqual(union)
  }
}
