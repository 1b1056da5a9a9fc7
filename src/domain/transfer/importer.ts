import type { Clock } from '../../platform/clock.ts'
import type { PodcastLists } from '../directory/podcast-lists.ts'
import { DomainError, type ErrorCode } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { slices } from '../shared/lists.ts'
import { slugOf } from '../shared/text.ts'
import type { Chapters } from '../sync/chapters.ts'
import type { Devices } from '../sync/devices.ts'
import type { DeviceStore, EpisodeActionStore, FetchNew, SubscriptionStore } from '../sync/ports.ts'
import { planTitles } from '../sync/provisional-titles.ts'
import type { Settings } from '../sync/settings.ts'
import type { SyncGroups } from '../sync/sync-groups.ts'
import type { TransferStore } from './ports.ts'
import type { CountedKind, FeedRecord, FeedsRecord, ImportRecord } from './records.ts'
import type { ImportTally } from './report.ts'

/** Feeds or actions of one job: nobody waits for the disk longer than some milliseconds because of an import. */
const ITEMS_PER_JOB = 250
/** Devices that a history may name which are not those of the account. */
const FORMER_DEVICES_MAX = 1000

const NO_URL = 'not an http or https address'
/** What an account may have at most, in the words of the report. */
const FULL = 'the account has as many as the server lets it'

/** What one record that breaks a rule is skipped for; everything else ends the import. */
const SKIPPED_CODES: ReadonlySet<ErrorCode> = new Set([
  'validation_failed',
  'not_found',
  'unknown_device',
  'payload_too_large',
])

export interface ImporterParts {
  readonly devices: Devices
  readonly syncGroups: SyncGroups
  readonly settings: Settings
  readonly chapters: Chapters
  readonly podcastLists: PodcastLists
  readonly subscriptions: SubscriptionStore
  readonly episodeActions: EpisodeActionStore
  readonly store: TransferStore
  readonly noteLastSeen: DeviceStore['noteLastSeen']
  readonly fetchNew: FetchNew
  readonly clock: Clock
}

type RecordOf<Kind extends ImportRecord['kind']> = Extract<ImportRecord, { readonly kind: Kind }>

/**
 * Applies the records of a source to an account, by the rules that hold for uploads. What the account has already stays
 * as it is, so that the same import once more changes nothing; not even the logical clock moves.
 */
export function createImporter(parts: ImporterParts) {
  return {
    /** One run. `apply` rejects where going on makes no sense: no room on the disk, or the account is gone. */
    begin: (userId: UserId, tally: ImportTally) => beginRun(parts, userId, tally),
  }
}

function beginRun(parts: ImporterParts, userId: UserId, tally: ImportTally) {
  const { store, clock } = parts
  const client = `import ${userId}`
  /** Kinds of which the account has all that it may have. */
  const full = new Set<CountedKind>()
  const formerDevices = new Set<string>()
  let knownDevices: Set<string> | undefined

  async function devicesHere(): Promise<Set<string>> {
    knownDevices ??= new Set((await parts.devices.list(userId)).map(({ uid }) => uid))
    return knownDevices
  }

  /** Counts what `work` tells, unless the record breaks a rule or there is no room for it; then it is skipped. */
  async function counted(
    kind: CountedKind,
    examples: readonly string[],
    work: () => Promise<boolean>,
  ): Promise<boolean> {
    if (full.has(kind)) {
      tally.skip(kind, FULL, examples, 1)
      return false
    }
    try {
      const isNew = await work()
      tally.add(kind, isNew ? 1 : 0, isNew ? 0 : 1)
      return true
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error.code === 'quota_exceeded') full.add(kind)
      else if (!SKIPPED_CODES.has(error.code)) throw error
      tally.skip(kind, error.code === 'quota_exceeded' ? FULL : error.message, examples, 1)
      return false
    }
  }

  async function addDevice({ id, caption, type, lastSeenAt }: RecordOf<'device'>): Promise<boolean> {
    const known = await devicesHere()
    return counted('devices', [id], async () => {
      if (known.has(id)) return false
      const name = caption?.trim()
      await parts.devices.update(userId, id, { caption: name === '' ? undefined : name, type })
      if (lastSeenAt !== undefined && lastSeenAt > 0) await parts.noteLastSeen([{ userId, uid: id, at: lastSeenAt }])
      known.add(id)
      return true
    })
  }

  /** Whether there is such a device now. */
  async function ensureDevice(id: string): Promise<boolean> {
    return (await devicesHere()).has(id) || addDevice({ kind: 'device', id })
  }

  /** The feeds that have an address, by that, each once. */
  function readFeeds(kind: CountedKind, feeds: readonly FeedRecord[]): Map<string, FeedRecord> {
    const read = new Map<string, FeedRecord>()
    const unreadable: string[] = []
    for (const feed of feeds) {
      const url = sanitizeUrl(feed.url)
      if (url === undefined) unreadable.push(feed.url)
      else if (!read.has(url)) read.set(url, feed)
    }
    tally.skip(kind, NO_URL, unreadable)
    return read
  }

  async function addFeeds({ device, feeds }: FeedsRecord): Promise<void> {
    const read = readFeeds('subscriptions', feeds)
    if (read.size === 0) return
    if (!(await ensureDevice(device))) {
      tally.skip('subscriptions', 'their device did not come over', [...read.keys()])
      return
    }
    for (const some of slices([...read], ITEMS_PER_JOB)) await subscribe(device, new Map(some))
  }

  async function subscribe(device: string, feeds: ReadonlyMap<string, FeedRecord>): Promise<void> {
    const held = await store.heldOf(userId, device, [...feeds.keys()], true)
    tally.add('subscriptions', 0, held.size)
    const fresh = [...feeds].filter(([url]) => !held.has(url))
    // Also of feeds that are here: their titles may be news.
    await store.addTitles(userId, titlesOf([...feeds].filter(([url]) => held.has(url))))
    await subscribeUpTo(device, fresh)
  }

  /** As many as there is room for. */
  async function subscribeUpTo(device: string, feeds: readonly [string, FeedRecord][]): Promise<void> {
    if (feeds.length === 0) return
    const urls = feeds.map(([url]) => url)
    if (full.has('subscriptions')) {
      tally.skip('subscriptions', FULL, urls)
      return
    }
    try {
      if (!(await place(device, feeds, true))) {
        const change = { add: urls, remove: [], titles: titlesOf(feeds) }
        const context = { at: clock.seconds(), seenUntil: undefined }
        const { hasUnfetched } = await parts.subscriptions.applyUpload(userId, device, change, context)
        if (hasUnfetched) parts.fetchNew(userId, urls)
      }
      tally.add('subscriptions', urls.length, 0)
    } catch (error) {
      if (!isQuota(error)) throw error
      if (feeds.length === 1) {
        full.add('subscriptions')
        tally.skip('subscriptions', FULL, urls)
        return
      }
      const half = Math.ceil(feeds.length / 2)
      await subscribeUpTo(device, feeds.slice(0, half))
      await subscribeUpTo(device, feeds.slice(half))
    }
  }

  /** With the times that they had elsewhere, if all have one, and the account has never been used. */
  async function place(
    device: string,
    feeds: readonly [string, FeedRecord][],
    isSubscribed: boolean,
  ): Promise<boolean> {
    const now = clock.seconds()
    const archived = feeds.flatMap(([url, { at }]) =>
      at === undefined ? [] : [{ url, seq: Math.min(now, Math.max(1, Math.floor(at))) }],
    )
    if (archived.length < feeds.length) return false
    const added = await store.placeFeeds(userId, device, archived, isSubscribed, now)
    if (added === undefined) return false
    if (isSubscribed) {
      await store.addTitles(userId, titlesOf(feeds))
      parts.fetchNew(
        userId,
        archived.map(({ url }) => url),
      )
    }
    return true
  }

  async function addUnsubscribed({ device, feeds }: FeedsRecord): Promise<void> {
    const kind = 'removed_subscriptions'
    const read = readFeeds(kind, feeds)
    if (read.size === 0) return
    if (!(await ensureDevice(device))) {
      tally.skip(kind, 'their device did not come over', [...read.keys()])
      return
    }
    for (const some of slices([...read], ITEMS_PER_JOB)) {
      const held = await store.heldOf(
        userId,
        device,
        some.map(([url]) => url),
        false,
      )
      tally.add(kind, 0, held.size)
      const fresh = some.filter(([url]) => !held.has(url))
      if (fresh.length === 0) continue
      if (await place(device, fresh, false)) tally.add(kind, fresh.length, 0)
      else
        tally.skip(
          kind,
          'what has been removed comes over into an account only that has never been used',
          fresh.map(([url]) => url),
        )
    }
  }

  async function addReplaced({ device, feeds }: FeedsRecord): Promise<void> {
    const kind = 'replaced_addresses'
    const urls = [...readFeeds(kind, feeds).keys()]
    if (!(await devicesHere()).has(device)) {
      tally.skip(kind, 'their device did not come over', urls)
      return
    }
    for (const some of slices(urls, ITEMS_PER_JOB)) {
      const added = await store.addReplaced(userId, device, some, clock.seconds())
      tally.add(kind, added, some.length - added)
    }
  }

  async function addSyncGroup({ devices }: RecordOf<'sync_group'>): Promise<void> {
    const known = await devicesHere()
    const here = [...new Set(devices)].filter((id) => known.has(id))
    if (here.length < 2) {
      tally.skip('sync_groups', 'fewer than two of its devices came over', [devices.join(', ')])
      return
    }
    await counted('sync_groups', [here.join(', ')], async () => {
      const { synchronized } = await parts.syncGroups.status(userId)
      if (synchronized.some((group) => here.every((id) => group.includes(id)))) return false
      await parts.syncGroups.regroup(userId, { synchronize: [here], stop: [] })
      return true
    })
  }

  async function addSettings({ values, ...target }: RecordOf<'settings'>): Promise<void> {
    const example = [target.scope, target.device, target.podcast, target.episode].filter(Boolean).join(' ')
    await counted('settings', [example], async () => {
      const before = await parts.settings.read(userId, target)
      const here = keysOf(before)
      const missing = Object.fromEntries(Object.entries(values).filter(([key]) => !here.has(key)))
      if (Object.keys(missing).length === 0) return false
      return (await parts.settings.change(userId, target, { set: missing, remove: [] })) !== before
    })
  }

  async function addFavorite({ podcast, episode, at }: RecordOf<'favorite'>): Promise<void> {
    await counted('favorites', [`${podcast} ${episode}`], async () => {
      const target = { scope: 'episode', podcast, episode }
      const before = await parts.settings.read(userId, target)
      const after = await parts.settings.change(userId, target, { set: { is_favorite: true }, remove: [] })
      const isDated =
        at !== undefined && (await store.dateFavorite(userId, `${sanitizeUrl(podcast)} ${sanitizeUrl(episode)}`, at))
      return isDated || after !== before
    })
  }

  async function addList({ title, urls }: RecordOf<'podcast_list'>): Promise<void> {
    await counted('podcast_lists', [title], async () => {
      const here = await store.listUrls(userId, slugOf(title.trim()))
      if (here) {
        if (isSameList(here, urls)) return false
        throw new DomainError('validation_failed', 'there is a list of this name with other podcasts')
      }
      await parts.podcastLists.create(userId, title, [urls.map((url) => ({ url }))])
      return true
    })
  }

  async function addChapters({ podcast, episode, chapters }: RecordOf<'chapters'>): Promise<void> {
    const examples = [`${podcast} ${episode}`]
    try {
      if (full.has('chapters')) throw new DomainError('quota_exceeded', FULL)
      const { chapters: here } = await parts.chapters.list({ userId, client }, { podcast, episode, since: 0 })
      const times = new Set(here.map(({ start, end }) => `${start} ${end}`))
      const add = chapters.filter(({ start, end }) => !times.has(`${start} ${end}`))
      tally.add('chapters', 0, chapters.length - add.length)
      if (add.length === 0) return
      await parts.chapters.upload({ userId, client }, { podcast, episode, add, remove: [] })
      tally.add('chapters', add.length, 0)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (isQuota(error)) tally.skip('chapters', FULL, examples, chapters.length)
      else if (SKIPPED_CODES.has(error.code)) tally.skip('chapters', error.message, examples, chapters.length)
      else throw error
    }
  }

  async function addTitle({ podcast, title }: RecordOf<'title'>): Promise<void> {
    const titles = planTitles([{ url: podcast, title }])
    const added = await store.addTitles(userId, titles)
    tally.add('titles', added, 1 - added)
  }

  async function addActions({ actions }: RecordOf<'actions'>): Promise<void> {
    const known = await devicesHere()
    const named = actions.map((action) => {
      const { device } = action
      if (device === undefined || known.has(device) || formerDevices.has(device)) return action
      if (formerDevices.size < FORMER_DEVICES_MAX) {
        formerDevices.add(device)
        return action
      }
      tally.skip('devices', 'too many devices in the history; these actions came over without their device', [device])
      return { ...action, device: undefined }
    })
    for (const some of slices(named, ITEMS_PER_JOB)) {
      const context = { at: clock.seconds(), seenUntil: undefined, isHistory: true }
      const { added } = await parts.episodeActions.applyUpload(userId, some, context)
      tally.add('episode_actions', added, some.length - added)
    }
  }

  return {
    async apply(record: ImportRecord): Promise<void> {
      switch (record.kind) {
        case 'device':
          await addDevice(record)
          return
        case 'feeds':
          return addFeeds(record)
        case 'unsubscribed':
          return addUnsubscribed(record)
        case 'replaced':
          return addReplaced(record)
        case 'sync_group':
          return addSyncGroup(record)
        case 'settings':
          return addSettings(record)
        case 'favorite':
          return addFavorite(record)
        case 'podcast_list':
          return addList(record)
        case 'chapters':
          return addChapters(record)
        case 'title':
          return addTitle(record)
        case 'actions':
          return addActions(record)
        case 'skipped':
          tally.skip(record.what, record.reason, record.examples ?? [], record.count ?? 1)
          return
        case 'progress':
          tally.progress(record.done, record.total)
      }
    },

    /** After the last record. */
    finish: (): Promise<void> => store.startClock(userId),
  }
}

function isQuota(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'quota_exceeded'
}

function titlesOf(feeds: readonly [string, FeedRecord][]) {
  return planTitles(feeds.map(([url, { title }]) => ({ url, title })))
}

function keysOf(settings: string): ReadonlySet<string> {
  return new Set(Object.keys(JSON.parse(settings)))
}

function isSameList(here: readonly string[], urls: readonly string[]): boolean {
  const wanted = new Set(urls.flatMap((url) => sanitizeUrl(url) ?? []))
  return wanted.size === here.length && here.every((url) => wanted.has(url))
}
