import { parseExactly } from '../../domain/shared/exact-json.ts'
import { slices } from '../../domain/shared/lists.ts'
import type { DeviceType } from '../../domain/sync/ports/devices.ts'
import {
  type CountedKind,
  type FeedRecord,
  ITEMS_PER_RECORD,
  type SourcedRecord,
} from '../../domain/transfer/records.ts'
import { isRecord } from '../../platform/unknown.ts'
import { deviceIdHere } from './device-ids.ts'
import { readHistory } from './episode-actions.ts'
import { cursorOf, type Place } from './places.ts'
import { createProgress, parse, type ReadList, readList, skippedOf, textAt, urlOf } from './read-items.ts'
import { NotServed, type ServerClient } from './server-client.ts'

/** Feeds of one list. */
export const FEEDS_MAX = 50_000
/** Each costs one request, or two. */
const DEVICES_MAX = 1000
const GROUPS_MAX = 1000
const FAVORITES_MAX = 50_000
const LISTS_MAX = 1000
const PODCASTS_WITH_SETTINGS_MAX = 5000
/** Bytes of the settings of one thing. */
const SETTINGS_BYTES = 1024 * 1024

/** What a server without devices has is put here. */
const ONLY_DEVICE = 'imported'

const TYPES: ReadonlySet<string> = new Set<DeviceType>(['mobile', 'laptop', 'desktop', 'server', 'other'])

/** In this order: what is worth most comes first. */
const STEPS = ['devices', 'feeds', 'groups', 'actions', 'favorites', 'lists', 'settings'] as const
type Step = (typeof STEPS)[number]

interface RemoteDevice {
  /** As the other server writes it. */
  readonly id: string
  readonly caption: string | undefined
  readonly type: DeviceType | undefined
}

export const devicesPath = (username: string) => `/api/2/devices/${encodeURIComponent(username)}.json`

/** An account of a server with the gpodder.net API, version 2 (docs/protocol.md): another podstep, or gpodder.net. */
export async function* readGpodder(
  client: ServerClient,
  username: string,
  place: Place | undefined,
): AsyncGenerator<SourcedRecord> {
  const user = encodeURIComponent(username)
  const from = STEPS.indexOf(STEPS.find((step) => step === place?.step) ?? 'devices')
  const progress = createProgress()
  const cursorAt = (step: Step, rest: Partial<Place> = {}) => cursorOf({ kind: 'gpodder', step, ...rest })

  const list = (path: string, max: number, keyOf: (item: unknown) => string | undefined, member?: string) =>
    readList(client, path, { max, keyOf, ...(member !== undefined && { member }) })

  const listed = await list(devicesPath(username), DEVICES_MAX, (item) => textAt(item, 'id') || undefined)
  if (listed.items.length === 0 && listed.problem !== undefined) throw client.failure(listed.problem)
  const devices = listed.items.flatMap((item) => toDevice(item) ?? [])
  const union = await list(`/subscriptions/${user}.json`, FEEDS_MAX, urlOf)
  const titles = new Map(union.items.map((item) => [urlOf(item) ?? '', textAt(item, 'title')]))
  const podcasts = new Set(titles.keys())

  const feedOf = (url: string): FeedRecord => {
    const title = titles.get(url)
    return title === undefined || title === '' || title === url ? { url } : { url, title }
  }

  function* feedRecords(device: string, urls: readonly string[]): Generator<SourcedRecord> {
    for (const some of slices(urls, ITEMS_PER_RECORD)) {
      yield { record: { kind: 'feeds', device, feeds: some.map(feedOf) } }
      yield { record: progress(some.length) }
    }
  }

  /** The simple API's list, or what a new app would get by the other API. */
  async function feedsOf({ id }: RemoteDevice): Promise<ReadList> {
    const device = encodeURIComponent(id)
    const simple = await list(`/subscriptions/${user}/${device}.json`, FEEDS_MAX, urlOf)
    if (simple.isOffered && simple.problem === undefined) return simple
    const path = `/api/2/subscriptions/${user}/${device}.json`
    const delta = await readList(client, path, { query: { since: '0' }, member: 'add', max: FEEDS_MAX, keyOf: urlOf })
    if (delta.isOffered && delta.problem === undefined) return delta
    const problem = simple.problem ?? delta.problem ?? `${client.host} has no list of this device`
    return { ...(simple.items.length > delta.items.length ? simple : delta), problem }
  }

  function* readDevices(): Generator<SourcedRecord> {
    for (const { id, caption, type } of devices)
      yield { record: { kind: 'device', id: deviceIdHere(id), caption, type } }
    if (devices.length === 0 && podcasts.size > 0)
      yield { record: { kind: 'device', id: ONLY_DEVICE, caption: client.host } }
    for (const record of skippedOf('devices', listed)) yield { record }
  }

  async function* readFeeds(): AsyncGenerator<SourcedRecord> {
    if (devices.length === 0) {
      yield* feedRecords(ONLY_DEVICE, [...titles.keys()])
      for (const record of skippedOf('subscriptions', union)) yield { record }
    }
    const inOrder = devices.toSorted((a, b) => byText(a.id, b.id))
    for (const device of inOrder) {
      if (place?.step === 'feeds' && place.after !== undefined && device.id <= place.after) continue
      const feeds = await feedsOf(device)
      const urls = feeds.items.flatMap((item) => urlOf(item) ?? [])
      for (const url of urls) podcasts.add(url)
      yield* feedRecords(deviceIdHere(device.id), urls)
      for (const record of skippedOf('subscriptions', feeds, device.id)) yield { record }
      yield { record: progress(0), cursor: cursorAt('feeds', { after: device.id }) }
    }
  }

  async function* readGroups(): AsyncGenerator<SourcedRecord> {
    const groups = await list(`/api/2/sync-devices/${user}.json`, GROUPS_MAX, JSON.stringify, 'synchronized')
    for (const group of groups.items) {
      const ids = Array.isArray(group) ? group.filter((id) => typeof id === 'string') : []
      yield { record: { kind: 'sync_group', devices: ids.map(deviceIdHere) } }
    }
    for (const record of skippedOf('sync_groups', groups)) yield { record }
  }

  async function* readActions(): AsyncGenerator<SourcedRecord> {
    const path = `/api/2/episodes/${user}.json`
    const parts = { client, path, podcasts, progress }
    yield* readHistory({ ...parts, cursorAt: (history) => cursorAt('actions', { history }) }, place?.history)
  }

  async function* readFavorites(): AsyncGenerator<SourcedRecord> {
    const favorites = await list(`/api/2/favorites/${user}.json`, FAVORITES_MAX, (item) => {
      const [podcast, episode] = [textAt(item, 'podcast_url'), textAt(item, 'url')]
      return podcast === undefined || episode === undefined ? undefined : `${podcast} ${episode}`
    })
    // The newest comes last, so that it is the newest here.
    for (const item of favorites.items.toReversed())
      yield {
        record: { kind: 'favorite', podcast: textAt(item, 'podcast_url') ?? '', episode: textAt(item, 'url') ?? '' },
      }
    yield { record: progress(favorites.items.length) }
    for (const record of skippedOf('favorites', favorites)) yield { record }
  }

  async function* readLists(): AsyncGenerator<SourcedRecord> {
    const lists = await list(`/api/2/lists/${user}.json`, LISTS_MAX, (item) => textAt(item, 'name'))
    for (const item of lists.items) {
      const name = textAt(item, 'name') ?? ''
      const content = await list(`/api/2/lists/${user}/list/${encodeURIComponent(name)}.json`, FEEDS_MAX, urlOf)
      const title = textAt(item, 'title') || name
      if (content.problem === undefined && content.isOffered) {
        const urls = content.items.flatMap((each) => urlOf(each) ?? [])
        yield { record: { kind: 'podcast_list', title, urls } }
      } else yield skipped('podcast_lists', content.problem ?? `${client.host} does not give it`, title)
      yield { record: progress(1) }
    }
    for (const record of skippedOf('podcast_lists', lists)) yield { record }
  }

  /** The values of one thing; undefined if the server has none. Throws `NotServed`. */
  async function settingsOf(scope: string, query: Readonly<Record<string, string>>) {
    const values = new Map<string, unknown>()
    const options = { isObject: true, query, maxBytes: SETTINGS_BYTES }
    for await (const { name, text } of client.items(`/api/2/settings/${user}/${scope}.json`, options))
      if (name !== undefined && text !== undefined && parse(text) !== undefined) values.set(name, parseExactly(text))
    return values.size > 0 ? Object.fromEntries(values) : undefined
  }

  async function* readSettings(): AsyncGenerator<SourcedRecord> {
    const after = place?.step === 'settings' ? place.after : undefined
    const account = await settingsOf('account', {})
    if (account) yield { record: { kind: 'settings', scope: 'account', values: account } }
    for (const { id } of devices) {
      const values = await settingsOf('device', { device: id }).catch(missing)
      if (values) yield { record: { kind: 'settings', scope: 'device', device: deviceIdHere(id), values } }
    }
    const all = [...podcasts].toSorted(byText)
    for (const podcast of all.slice(0, PODCASTS_WITH_SETTINGS_MAX)) {
      if (after !== undefined && podcast <= after) continue
      const values = await settingsOf('podcast', { podcast }).catch(missing)
      if (values) yield { record: { kind: 'settings', scope: 'podcast', podcast, values } }
      yield { record: progress(1), cursor: cursorAt('settings', { after: podcast }) }
    }
    const left = all.length - PODCASTS_WITH_SETTINGS_MAX
    if (left > 0)
      yield {
        record: { kind: 'skipped', what: 'settings', reason: 'of more podcasts than are asked for', count: left },
      }
  }

  const read: Readonly<Record<Step, () => AsyncGenerator<SourcedRecord> | Generator<SourcedRecord>>> = {
    devices: readDevices,
    feeds: readFeeds,
    groups: readGroups,
    actions: readActions,
    favorites: readFavorites,
    lists: readLists,
    settings: readSettings,
  }

  // Who goes on behind the lists of feeds still has to know the podcasts.
  if (from > STEPS.indexOf('feeds') && !union.isOffered)
    for (const device of devices) for (const item of (await feedsOf(device)).items) podcasts.add(urlOf(item) ?? '')
  for (const [index, step] of STEPS.entries()) {
    if (index < from) continue
    try {
      yield* read[step]()
    } catch (error) {
      // Settings may be offered for nothing at all, or not be served; all else deals with that itself.
      if (!(error instanceof NotServed) || step !== 'settings') throw error
      if (error.status !== 404) yield skipped('settings', error.message)
    }
    const next = STEPS[index + 1]
    yield { record: progress(0), ...(next !== undefined && { cursor: cursorAt(next) }) }
  }
}

function skipped(what: CountedKind, reason: string, example?: string): SourcedRecord {
  return { record: { kind: 'skipped', what, reason, examples: example === undefined ? [] : [example] } }
}

function missing(error: unknown): undefined {
  if (!(error instanceof NotServed)) throw error
}

/** By code units, as places in that order are compared. */
function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}

function toDevice(item: unknown): RemoteDevice | undefined {
  const id = textAt(item, 'id')
  if (id === undefined || !isRecord(item)) return undefined
  const type = textAt(item, 'type')
  return { id, caption: textAt(item, 'caption'), type: type === 'tablet' ? 'mobile' : isType(type) ? type : undefined }
}

function isType(text: string | undefined): text is DeviceType {
  return text !== undefined && TYPES.has(text)
}
