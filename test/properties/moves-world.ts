import { expect } from 'bun:test'
import type { UserId } from '../../src/domain/shared/ids.ts'
import type { Store } from '../../src/store/stores.ts'
import { known, succeed } from '../store/contract/feeds/feeds.ts'
import { addDevices, addUser, feedDocument, T, written } from '../store/contract/fixtures.ts'
import { storeOpener } from '../support/store.ts'

const openStore = storeOpener()

/** One generated event. Numbers are taken modulo the number of podcasts, devices or addresses. */
export type Step = Readonly<
  | { kind: 'move'; podcast: number; to: number }
  | { kind: 'fetch'; device: number }
  | { kind: 'sync'; device: number }
  | { kind: 'full sync'; device: number }
  | { kind: 'subscribe'; device: number; podcast: number; address: number }
  | { kind: 'unsubscribe'; device: number; feed: number }
>

/**
 * How an app reacts when a feed has moved: it replaces the address without a report, keeps the old one, replaces it and
 * reports both, or adds the new one and reports that.
 */
export type Habit = 'renames' | 'keeps' | 'reports both' | 'adds both'

export const HABITS: readonly Habit[] = ['renames', 'keeps', 'reports both', 'adds both']

interface Device {
  readonly uid: string
  readonly habit: Habit
  /** Addresses to which the app is subscribed. */
  readonly local: Set<string>
  readonly adds: Set<string>
  readonly removes: Set<string>
  /** Addresses that the app has sent or received. */
  readonly known: Set<string>
  since: number
}

const ADDRESSES = 4

export class MovingWorld {
  /** Redirects. A feed that moves redirects its old address to the new one, which redirects nowhere. */
  private readonly redirects = new Map<string, string>()
  private readonly currentUrls: string[]
  /** All addresses that each podcast has had. */
  private readonly used: string[][]
  private readonly copies = new Map<string, number>()
  private at = T

  private readonly store: Store
  private readonly userId: UserId
  readonly devices: readonly Device[]

  private constructor(store: Store, userId: UserId, devices: readonly Device[], podcasts: number) {
    this.store = store
    this.userId = userId
    this.devices = devices
    this.currentUrls = Array.from({ length: podcasts }, (_, n) => addressOf(n, 0))
    this.used = this.currentUrls.map((home) => [home])
  }

  static async open(habits: readonly Habit[], podcasts: number, areGrouped: boolean): Promise<MovingWorld> {
    const store = openStore()
    const userId = await addUser(store)
    const devices = habits.map((habit, n) => ({
      ...{ uid: `device${n}`, habit, since: 0 },
      ...{ local: new Set<string>(), adds: new Set<string>(), removes: new Set<string>(), known: new Set<string>() },
    }))
    const uids = devices.map(({ uid }) => uid)
    await addDevices(store, userId, ...uids)
    if (areGrouped) await store.syncGroups.regroup(userId, { synchronize: [uids], stop: [] }, T)
    // The server knows all addresses, so that it may fetch each.
    const ole = await addUser(store, 'ole')
    const add = Array.from({ length: podcasts * ADDRESSES }, (_, n) =>
      addressOf(n % podcasts, Math.floor(n / podcasts)),
    )
    await store.subscriptions.applyUpload(ole, 'all', { add, remove: [] }, { at: T, seenUntil: undefined })
    for (const url of add) {
      const { id } = await known(store, url)
      await written(store, store.feeds.saveDetails(id, feedDocument({ guid: podcastOf(url) })))
      await succeed(store, url)
    }
    return new MovingWorld(store, userId, devices, podcasts)
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'move') return this.move(step.podcast % this.currentUrls.length, step.to % ADDRESSES)
    const device = this.devices[step.device % this.devices.length]
    if (!device) return
    if (step.kind === 'fetch') this.fetch(device)
    else if (step.kind === 'sync') await this.sync(device)
    else if (step.kind === 'full sync') await this.syncAll(device)
    else if (step.kind === 'unsubscribe')
      this.unsubscribe(device, [...device.local][step.feed % Math.max(1, device.local.size)])
    else this.subscribe(device, step.podcast, step.address)
  }

  private async move(podcast: number, to: number): Promise<void> {
    const from = this.currentUrls[podcast] ?? ''
    const home = addressOf(podcast, to)
    if (home === from) return
    this.currentUrls[podcast] = home
    const isBack = this.used[podcast]?.includes(home)
    this.used[podcast]?.push(home)
    this.redirects.delete(home)
    this.redirects.set(from, home)
    await this.refresh()
    // No redirect leads to the addresses in between any more, so an app that silently uses one could not be matched.
    if (isBack) for (const device of this.devices) if (device.habit === 'renames') this.fetch(device)
  }

  /** The server fetches all feeds. */
  private async refresh(): Promise<void> {
    for (let n = 0; n < this.currentUrls.length * ADDRESSES; n++) {
      const url = addressOf(n % this.currentUrls.length, Math.floor(n / this.currentUrls.length))
      const leads: string[] = []
      for (let next = this.redirects.get(url); next !== undefined; next = this.redirects.get(next)) leads.push(next)
      if (leads.length > 0) await written(this.store, this.store.feeds.keepGuids((await known(this.store, url)).id))
      await succeed(this.store, url, { leads })
    }
  }

  private homeOf(address: string): string {
    const next = this.redirects.get(address)
    return next === undefined ? address : this.homeOf(next)
  }

  /** The app fetches its feeds. */
  private fetch({ uid, habit, local, adds, removes }: Device): void {
    if (habit === 'keeps') return
    for (const address of [...local]) {
      const home = this.homeOf(address)
      if (home === address) continue
      if (habit === 'adds both') {
        if (!local.has(home)) {
          this.count(uid, address)
          adds.add(home)
          removes.delete(home)
        }
      } else local.delete(address)
      if (habit === 'reports both') {
        adds.add(home)
        removes.add(address)
        adds.delete(address)
        removes.delete(home)
      }
      local.add(home)
    }
  }

  private count(uid: string, address: string): void {
    const key = `${uid} ${podcastOf(address)}`
    this.copies.set(key, (this.copies.get(key) ?? 0) + 1)
  }

  private subscribe(device: Device, podcast: number, address: number): void {
    const used = this.used[podcast % this.used.length] ?? []
    const url = used[address % used.length] ?? ''
    if (device.local.has(url)) return
    if (this.has(device, url)) this.count(device.uid, url)
    device.local.add(url)
    device.adds.add(url)
    device.removes.delete(url)
  }

  private has({ local }: Device, address: string): boolean {
    return [...local].some((each) => podcastOf(each) === podcastOf(address))
  }

  private unsubscribe(device: Device, url: string | undefined): void {
    if (url === undefined) return
    device.local.delete(url)
    // An addition that was never sent needs no removal.
    if (!device.adds.delete(url) || device.known.has(url)) device.removes.add(url)
  }

  private async poll(device: Device): Promise<void> {
    const { userId, store } = this
    const changes = await store.subscriptions.changesSince(userId, device.uid, device.since)
    const { add: added, remove: removed, clock } = changes
    expect(new Set([...added, ...removed]).size).toBe(added.length + removed.length)
    for (const url of removed) if (!device.adds.has(url)) device.local.delete(url)
    for (const url of added) {
      device.known.add(url)
      if (device.removes.has(url) || device.local.has(url)) continue
      // If the app has subscribed to it in the meantime, the second copy is its own.
      if ([...device.adds].some((each) => podcastOf(each) === podcastOf(url))) this.count(device.uid, url)
      device.local.add(url)
    }
    device.since = clock + 1
  }

  private async upload(device: Device, add: readonly string[], remove: readonly string[]): Promise<void> {
    this.at++
    const { uid } = device
    for (const url of add) device.known.add(url)
    const send = () =>
      this.store.subscriptions.applyUpload(this.userId, uid, { add, remove }, { at: this.at, seenUntil: undefined })
    const { clock } = await send()
    this.at += 100
    // Repeats the upload, as after a lost response.
    expect((await send()).clock).toBe(clock)
    device.since = clock + 1
  }

  async sync(device: Device): Promise<void> {
    await this.poll(device)
    await this.upload(device, [...device.adds], [...device.removes])
    device.adds.clear()
    device.removes.clear()
  }

  /** Like a forced full sync of AntennaPod. */
  private async syncAll(device: Device): Promise<void> {
    await this.sync(device)
    device.since = 0
    await this.poll(device)
    await this.upload(device, [...device.local], [])
  }

  /** Syncs and fetches until every device has seen and handled all changes. */
  async settle(): Promise<void> {
    for (const _ of [1, 2, 3])
      for (const device of this.devices) {
        await this.sync(device)
        this.fetch(device)
      }
    for (const device of this.devices) await this.sync(device)
  }

  /** Expects that a device has no more copies of a podcast than those that it made itself. */
  checkCopies(): void {
    for (const { uid, local } of this.devices)
      for (const [podcast, addresses] of Map.groupBy(local, podcastOf)) {
        const own = this.copies.get(`${uid} ${podcast}`) ?? 0
        expect({ uid, podcast, isTooMuch: addresses.length > 1 + own, addresses }).toMatchObject({ isTooMuch: false })
      }
  }

  /** Expects that the server does not store one podcast twice for a device or the user. */
  async checkStored(): Promise<void> {
    for (const { uid } of this.devices) {
      const urls = (await this.store.subscriptions.listDevice(this.userId, uid)) ?? []
      const home = urls.map((url) => this.homeOf(url))
      expect({ uid, urls, home: new Set(home).size }).toMatchObject({ home: home.length })
    }
    const all = (await this.store.subscriptions.listUser(this.userId)).map(({ url }) => this.homeOf(url))
    expect(new Set(all).size).toBe(all.length)
  }

  /** Unsubscribes a device from all addresses of a podcast, and expects that no device has it afterwards. */
  async checkUnsubscribe(index: number): Promise<void> {
    const device = this.devices[index % this.devices.length]
    const [url] = device?.local ?? []
    if (!device || url === undefined) return
    const podcast = podcastOf(url)
    const heldUrls = new Set<string>()
    for (const each of [...device.local])
      if (podcastOf(each) === podcast) {
        heldUrls.add(this.homeOf(each))
        this.unsubscribe(device, each)
      }
    await this.sync(device)
    for (const other of this.devices) await this.sync(other)
    for (const { uid, local } of this.devices) {
      const left = [...local].filter((each) => heldUrls.has(this.homeOf(each)))
      const own = this.copies.get(`${uid} ${podcast}`) ?? 0
      expect({ uid, left, isTooMuch: left.length > own }).toMatchObject({ isTooMuch: false })
      const urls = (await this.store.subscriptions.listDevice(this.userId, uid)) ?? []
      expect({ uid, urls: urls.filter((each) => heldUrls.has(this.homeOf(each))) }).toEqual({ uid, urls: [] })
    }
  }
}

const addressOf = (podcast: number, address: number) => `https://p${podcast}.example/${address}`
const podcastOf = (address: string) => new URL(address).host
