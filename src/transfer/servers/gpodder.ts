import { parseExactly } from '../../domain/shared/exact-json.ts'
import { slices } from '../../domain/shared/lists.ts'
import type { DeviceType } from '../../domain/sync/ports/devices.ts'
import {
  type CountedKind,
  type FeedRecord,
  type ImportRecord,
  ITEMS_PER_RECORD,
  type SourcedRecord,
} from '../../domain/transfer/records.ts'
import { largeSettings, SETTINGS_JSON_LIMITS, type SettingsOwner, settingsRecord } from '../settings-record.ts'
import { createTextBudget, isTooLongForName } from '../texts.ts'
import { deviceIdHere } from './device-ids.ts'
import { readHistory } from './episode-actions.ts'
import { cursorOf, type Place } from './places.ts'
import {
  addressAt,
  createProgress,
  type ListQuery,
  nameAt,
  type ReadList,
  readList,
  skippedOf,
  textAt,
  titleAt,
  urlOf,
} from './read-items.ts'
import { type ItemsQuery, NotServed, type ServerClient } from './server-client.ts'

export const FEEDS_MAX = 50_000
const DEVICES_MAX = 1000
const GROUPS_MAX = 1000
const FAVORITES_MAX = 50_000
const LISTS_MAX = 1000
const PODCASTS_WITH_SETTINGS_MAX = 5000
/** Limit on the settings of one podcast, episode, device or account. */
const SETTINGS_BYTES = 1024 * 1024

const ONLY_DEVICE = 'imported'

/** In order of importance. */
const STEPS = ['devices', 'feeds', 'groups', 'actions', 'favorites', 'lists', 'settings'] as const
type Step = (typeof STEPS)[number]

export const devicesPath = (username: string) => `/api/2/devices/${encode(username)}.json`

/** `encodeURIComponent` without its error for lone surrogates. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** Reads an account on a server with version 2 of the gpodder.net API (docs/protocol.md), such as another podstep. */
export async function* readGpodder(
  client: ServerClient,
  username: string,
  place: Place | undefined,
): AsyncGenerator<SourcedRecord> {
  const user = encode(username)
  const from = STEPS.indexOf(STEPS.find((step) => step === place?.step) ?? 'devices')
  const progress = createProgress()
  const cursorAt = (step: Step, rest: Partial<Place> = {}) => cursorOf({ kind: 'gpodder', step, ...rest })

  const texts = createTextBudget()

  const list = <Item>(path: string, query: ListQuery<Item>) => readList(client, path, query)
  const feedList = (path: string, query: ItemsQuery = {}) =>
    list(path, { ...query, max: FEEDS_MAX, read: urlOf, keyOf: (url) => url })

  const { items: devices, ...listed } = await list(devicesPath(username), {
    max: DEVICES_MAX,
    read: readDevice,
    keyOf: ({ id }) => id,
  })
  if (devices.length === 0 && listed.problem !== undefined) throw client.failure(listed.problem)
  const { items: feeds, ...union } = await list(`/subscriptions/${user}.json`, {
    max: FEEDS_MAX,
    read: readFeed,
    keyOf: ({ url }) => url,
  })
  const titles = new Map(feeds.map(({ url, title }) => [texts.keep(url), texts.keep(title)]))
  const podcasts = new Set(titles.keys())

  function addPodcasts(urls: readonly string[]): void {
    for (const url of urls) if (!podcasts.has(url)) podcasts.add(texts.keep(url))
  }

  const feedOf = (url: string): FeedRecord => {
    const title = titles.get(url)
    return title === undefined || title === '' || title === url ? { url } : { url, title }
  }

  function* feedRecords(device: string, urls: readonly string[]): Generator<SourcedRecord> {
    for (const batch of slices(urls, ITEMS_PER_RECORD)) {
      yield { record: { kind: 'feeds', device, feeds: batch.map(feedOf) } }
      yield { record: progress(batch.length) }
    }
  }

  async function feedsOf({ id }: RemoteDevice): Promise<ReadList<string>> {
    const device = encode(id)
    const simple = await feedList(`/subscriptions/${user}/${device}.json`)
    if (simple.isOffered && simple.problem === undefined) return simple
    const path = `/api/2/subscriptions/${user}/${device}.json`
    const delta = await feedList(path, { query: { since: '0' }, member: 'add' })
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
      const { items: urls, ...rest } = await feedsOf(device)
      addPodcasts(urls)
      yield* feedRecords(deviceIdHere(device.id), urls)
      for (const record of skippedOf('subscriptions', rest, device.id)) yield { record }
      yield { record: progress(0), cursor: cursorAt('feeds', { after: device.id }) }
    }
  }

  async function* readGroups(): AsyncGenerator<SourcedRecord> {
    const groups = await list(`/api/2/sync-devices/${user}.json`, {
      member: 'synchronized',
      max: GROUPS_MAX,
      read: readGroup,
      keyOf: (ids) => ids.join(' '),
    })
    for (const ids of groups.items) yield { record: { kind: 'sync_group', devices: ids.map(deviceIdHere) } }
    for (const record of skippedOf('sync_groups', groups)) yield { record }
  }

  async function* readActions(): AsyncGenerator<SourcedRecord> {
    const path = `/api/2/episodes/${user}.json`
    const parts = { client, path, podcasts, progress }
    yield* readHistory({ ...parts, cursorAt: (history) => cursorAt('actions', { history }) }, place?.history)
  }

  async function* readFavorites(): AsyncGenerator<SourcedRecord> {
    const favorites = await list(`/api/2/favorites/${user}.json`, {
      max: FAVORITES_MAX,
      read: readFavorite,
      keyOf: ({ podcast, episode }) => `${podcast} ${episode}`,
    })
    // Import the newest last, so that it is the newest here, too.
    for (const favorite of favorites.items.toReversed()) yield { record: { kind: 'favorite', ...favorite } }
    yield { record: progress(favorites.items.length) }
    for (const record of skippedOf('favorites', favorites)) yield { record }
  }

  async function* readLists(): AsyncGenerator<SourcedRecord> {
    const lists = await list(`/api/2/lists/${user}.json`, {
      max: LISTS_MAX,
      read: readListName,
      keyOf: ({ name }) => name,
    })
    for (const { name, title } of lists.items) {
      const content = await feedList(`/api/2/lists/${user}/list/${encode(name)}.json`)
      if (content.problem === undefined && content.isOffered)
        yield { record: { kind: 'podcast_list', title, urls: content.items } }
      else yield skipped('podcast_lists', content.problem ?? `${client.host} does not give it`, title)
      yield { record: progress(1) }
    }
    for (const record of skippedOf('podcast_lists', lists)) yield { record }
  }

  /** Returns the records of one settings object; empty if the server has none. Throws `NotServed`. */
  async function settingsOf(target: SettingsOwner, query: Readonly<Record<string, string>>) {
    const values = new Map<string, unknown>()
    const options = { isObject: true, query, maxBytes: SETTINGS_BYTES, limits: SETTINGS_JSON_LIMITS }
    let remaining = SETTINGS_JSON_LIMITS.bytes
    for await (const { name, text } of client.items(`/api/2/settings/${user}/${target.scope}.json`, options)) {
      if (name === undefined) continue
      remaining -= text === undefined ? SETTINGS_BYTES : name.length + text.length
      const value = remaining < 0 || text === undefined ? undefined : exactValue(text)
      if (value !== undefined) values.set(name, value)
    }
    if (remaining < 0) return [largeSettings(target)]
    return values.size > 0 ? [settingsRecord(target, Object.fromEntries(values))] : []
  }

  async function* readSettings(): AsyncGenerator<SourcedRecord> {
    const after = place?.step === 'settings' ? place.after : undefined
    for (const record of await settingsOf({ scope: 'account' }, {})) yield { record }
    for (const { id } of devices) {
      const target = { scope: 'device', device: deviceIdHere(id) } as const
      for (const record of await settingsOf(target, { device: id }).catch(ignoreMissing)) yield { record }
    }
    const all = [...podcasts].toSorted(byText)
    for (const podcast of all.slice(0, PODCASTS_WITH_SETTINGS_MAX)) {
      if (after !== undefined && podcast <= after) continue
      for (const record of await settingsOf({ scope: 'podcast', podcast }, { podcast }).catch(ignoreMissing))
        yield { record }
      yield { record: progress(1), cursor: cursorAt('settings', { after: podcast }) }
    }
    const omitted = all.length - PODCASTS_WITH_SETTINGS_MAX
    if (omitted > 0)
      yield {
        record: { kind: 'skipped', what: 'settings', reason: 'of more podcasts than are asked for', count: omitted },
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

  // An import that resumes after the lists of feeds still needs the podcasts.
  if (from > STEPS.indexOf('feeds') && !union.isOffered)
    for (const device of devices) addPodcasts((await feedsOf(device)).items)
  for (const [index, step] of STEPS.entries()) {
    if (index < from) continue
    try {
      yield* read[step]()
    } catch (error) {
      // Some servers have no settings. The other steps handle `NotServed` themselves.
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

function ignoreMissing(error: unknown): readonly ImportRecord[] {
  if (!(error instanceof NotServed)) throw error
  return []
}

/** Compares by code units, as places in this order are compared. */
function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}

function exactValue(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}

/* Readers of the items in lists of the gpodder.net API; `undefined` for an unusable item. */

const TYPES: ReadonlySet<string> = new Set<DeviceType>(['mobile', 'laptop', 'desktop', 'server', 'other'])

interface RemoteDevice {
  readonly id: string
  readonly caption: string | undefined
  readonly type: DeviceType | undefined
}

function readDevice(item: unknown): RemoteDevice | undefined {
  const id = nameAt(item, 'id')
  const type = textAt(item, 'type')
  return id === undefined
    ? undefined
    : { id, caption: titleAt(item, 'caption'), type: type === 'tablet' ? 'mobile' : isType(type) ? type : undefined }
}

function readFeed(item: unknown) {
  const url = urlOf(item)
  return url === undefined ? undefined : { url, title: titleAt(item, 'title') }
}

function readGroup(item: unknown): readonly string[] | undefined {
  if (!Array.isArray(item)) return undefined
  return item.filter((id): id is string => typeof id === 'string' && !isTooLongForName(id))
}

function readFavorite(item: unknown) {
  const [podcast, episode] = [addressAt(item, 'podcast_url'), addressAt(item, 'url')]
  return podcast === undefined || episode === undefined ? undefined : { podcast, episode }
}

function readListName(item: unknown) {
  const name = nameAt(item, 'name')
  return name === undefined ? undefined : { name, title: titleAt(item, 'title') || name }
}

function isType(text: string | undefined): text is DeviceType {
  return text !== undefined && TYPES.has(text)
}
