import type { Clock } from '../../platform/clock.ts'
import type { PodcastLists } from '../directory/podcast-lists.ts'
import type { PodcastListStore } from '../directory/ports/podcast-lists.ts'
import type { Queue } from '../directory/queue.ts'
import { DomainError, type ErrorCode } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { slices } from '../shared/lists.ts'
import { slugOf } from '../shared/text.ts'
import type { Chapters } from '../sync/chapters.ts'
import type { Devices } from '../sync/devices.ts'
import type { Folders } from '../sync/folders.ts'
import type { DeviceStore } from '../sync/ports/devices.ts'
import type { EpisodeActionStore } from '../sync/ports/episode-actions.ts'
import type { SettingsStore } from '../sync/ports/settings.ts'
import type { FetchNew, SubscriptionStore } from '../sync/ports/subscriptions.ts'
import { planTitles } from '../sync/provisional-titles.ts'
import type { Settings } from '../sync/settings.ts'
import type { SyncGroups } from '../sync/sync-groups.ts'
import { ITEMS_PER_JOB, isQuota, prepareFeeds, QUOTA_REACHED } from './import-feeds.ts'
import type { TransferStore } from './ports.ts'
import type { CountedKind, ImportRecord } from './records.ts'
import type { ImportTally } from './report.ts'

const FORMER_DEVICES_MAX = 1000

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
  readonly folders: Pick<Folders, 'list' | 'create' | 'fill'>
  readonly queue: Pick<Queue, 'append'>
  readonly subscriptions: SubscriptionStore
  readonly episodeActions: EpisodeActionStore
  readonly store: TransferStore
  readonly deviceStore: Pick<DeviceStore, 'noteLastSeen' | 'forgetDeviceNews'>
  readonly dateFavorite: SettingsStore['dateFavorite']
  readonly listUrls: PodcastListStore['listUrls']
  readonly fetchNew: FetchNew
  readonly clock: Clock
}

type RecordOf<Kind extends ImportRecord['kind']> = Extract<ImportRecord, { readonly kind: Kind }>

/** Applies the records of a source by the rules of uploads. Repeating an import changes nothing. */
export function createImporter(parts: ImporterParts) {
  return {
    /** Starts a run. Its `apply` rejects if going on makes no sense: the disk is full, or the account is gone. */
    begin: (userId: UserId, tally: ImportTally) => beginRun(parts, userId, tally),
  }
}

function beginRun(parts: ImporterParts, userId: UserId, tally: ImportTally) {
  const { store, clock } = parts
  const client = `import ${userId}`
  const fullKinds = new Set<CountedKind>()
  const formerDevices = new Set<string>()
  const refusedDevices = new Set<string>()
  let knownDevices: Set<string> | undefined

  async function devicesHere(): Promise<Set<string>> {
    knownDevices ??= new Set((await parts.devices.list(userId)).map(({ uid }) => uid))
    return knownDevices
  }

  async function counted(
    kind: CountedKind,
    examples: readonly string[],
    work: () => Promise<boolean>,
  ): Promise<boolean> {
    if (fullKinds.has(kind)) {
      tally.skip(kind, QUOTA_REACHED, examples, 1)
      return false
    }
    try {
      const isNew = await work()
      tally.add(kind, isNew ? 1 : 0, isNew ? 0 : 1)
      return true
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error.code === 'quota_exceeded') fullKinds.add(kind)
      else if (!SKIPPED_CODES.has(error.code)) throw error
      tally.skip(kind, error.code === 'quota_exceeded' ? QUOTA_REACHED : error.message, examples, 1)
      return false
    }
  }

  async function addDevice({ id, caption, type, lastSeenAt }: RecordOf<'device'>): Promise<boolean> {
    const deviceIds = await devicesHere()
    if (refusedDevices.has(id)) return false
    const isHere = await counted('devices', [id], async () => {
      if (deviceIds.has(id)) return false
      const name = caption?.trim()
      await parts.devices.update(userId, id, { caption: name === '' ? undefined : name, type })
      await parts.deviceStore.forgetDeviceNews(userId, id)
      if (lastSeenAt !== undefined && lastSeenAt > 0)
        await parts.deviceStore.noteLastSeen([{ userId, uid: id, at: lastSeenAt }])
      deviceIds.add(id)
      return true
    })
    if (!isHere && refusedDevices.size < FORMER_DEVICES_MAX) refusedDevices.add(id)
    return isHere
  }

  async function ensureDevice(id: string): Promise<boolean> {
    if ((await devicesHere()).has(id)) return true
    return !fullKinds.has('devices') && addDevice({ kind: 'device', id })
  }

  async function addSyncGroup({ devices }: RecordOf<'sync_group'>): Promise<void> {
    const deviceIds = await devicesHere()
    const present = [...new Set(devices)].filter((id) => deviceIds.has(id))
    if (present.length < 2) {
      tally.skip('sync_groups', 'fewer than two of its devices were imported', [devices.join(', ')])
      return
    }
    await counted('sync_groups', [present.join(', ')], async () => {
      const { synchronized } = await parts.syncGroups.status(userId)
      if (synchronized.some((group) => present.every((id) => group.includes(id)))) return false
      await parts.syncGroups.regroup(userId, { synchronize: [present], stop: [] })
      return true
    })
  }

  async function addSettings({ values, ...target }: RecordOf<'settings'>): Promise<void> {
    const example = [target.scope, target.device, target.podcast, target.episode].filter(Boolean).join(' ')
    await counted('settings', [example], async () => {
      const before = await parts.settings.read(userId, target)
      const existingKeys = keysOf(before)
      const missing = Object.fromEntries(Object.entries(values).filter(([key]) => !existingKeys.has(key)))
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
        at !== undefined && (await parts.dateFavorite(userId, `${sanitizeUrl(podcast)} ${sanitizeUrl(episode)}`, at))
      return isDated || after !== before
    })
  }

  async function addFolder({ name, podcasts }: RecordOf<'folder'>): Promise<void> {
    await counted('folders', [name], async () => {
      const before = await parts.folders.list(userId)
      const id = await parts.folders.create(userId, name)
      const existingFolder = before.find((folder) => folder.id === id)
      const existing = new Set(existingFolder?.podcasts)
      const missing = podcasts.flatMap((text) => sanitizeUrl(text) ?? []).filter((url) => !existing.has(url))
      const added = await parts.folders.fill(userId, id, missing)
      return existingFolder === undefined || added > 0
    })
  }

  /** Appends to the existing queue. */
  async function addQueue({ episodes }: RecordOf<'queue'>): Promise<void> {
    if (fullKinds.has('queue')) {
      tally.skip('queue', QUOTA_REACHED, [], episodes.length)
      return
    }
    const usable = episodes.filter(({ podcast, episode }) => sanitizeUrl(podcast) && sanitizeUrl(episode))
    const others = episodes
      .filter((each) => !usable.includes(each))
      .map(({ podcast, episode }) => `${podcast} ${episode}`)
    if (others.length > 0) tally.skip('queue', 'without addresses that can be used', others, others.length)
    const { added, omitted } = await parts.queue.append(userId, usable)
    tally.add('queue', added, usable.length - added - omitted)
    if (omitted === 0) return
    fullKinds.add('queue')
    tally.skip('queue', QUOTA_REACHED, [], omitted)
  }

  async function addList({ title, urls }: RecordOf<'podcast_list'>): Promise<void> {
    await counted('podcast_lists', [title], async () => {
      const existingUrls = await parts.listUrls(userId, slugOf(title.trim()))
      if (existingUrls) {
        if (isSameList(existingUrls, urls)) return false
        throw new DomainError('validation_failed', 'a list with this name and other podcasts exists')
      }
      await parts.podcastLists.create(userId, title, [urls.map((url) => ({ url }))])
      return true
    })
  }

  async function addChapters({ podcast, episode, chapters }: RecordOf<'chapters'>): Promise<void> {
    const examples = [`${podcast} ${episode}`]
    try {
      if (fullKinds.has('chapters')) throw new DomainError('quota_exceeded', QUOTA_REACHED)
      const { chapters: existingChapters } = await parts.chapters.list(
        { userId, client },
        { podcast, episode, since: 0 },
      )
      const times = new Set(existingChapters.map(({ start, end }) => `${start} ${end}`))
      const add = chapters.filter(({ start, end }) => !times.has(`${start} ${end}`))
      tally.add('chapters', 0, chapters.length - add.length)
      if (add.length === 0) return
      await parts.chapters.upload({ userId, client }, { podcast, episode, add, remove: [] })
      tally.add('chapters', add.length, 0)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (isQuota(error)) tally.skip('chapters', QUOTA_REACHED, examples, chapters.length)
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
    const deviceIds = await devicesHere()
    const named = actions.map((action) => {
      const { device } = action
      if (device === undefined || deviceIds.has(device) || formerDevices.has(device)) return action
      if (formerDevices.size < FORMER_DEVICES_MAX) {
        formerDevices.add(device)
        return action
      }
      tally.skip('devices', 'too many devices in the history; these actions were imported without their device', [
        device,
      ])
      return { ...action, device: undefined }
    })
    for (const batch of slices(named, ITEMS_PER_JOB)) {
      const context = { at: clock.seconds(), seenUntil: undefined, isHistory: true }
      const { added } = await parts.episodeActions.applyUpload(userId, batch, context)
      tally.add('episode_actions', added, batch.length - added)
    }
  }

  const feeds = prepareFeeds({ ...parts, userId, tally, fullKinds, devicesHere, ensureDevice })

  return {
    async apply(record: ImportRecord): Promise<void> {
      switch (record.kind) {
        case 'device':
          await addDevice(record)
          return
        case 'feeds':
          return feeds.add(record)
        case 'unsubscribed':
          return feeds.addUnsubscribed(record)
        case 'replaced':
          return feeds.addReplaced(record)
        case 'sync_group':
          return addSyncGroup(record)
        case 'settings':
          return addSettings(record)
        case 'favorite':
          return addFavorite(record)
        case 'folder':
          return addFolder(record)
        case 'queue':
          return addQueue(record)
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
        case 'source':
          tally.source(record.source)
          return
        case 'progress':
          tally.progress(record.done, record.total)
      }
    },

    finish: (): Promise<void> => store.startClock(userId),
  }
}

function keysOf(settings: string): ReadonlySet<string> {
  return new Set(Object.keys(JSON.parse(settings)))
}

function isSameList(existing: readonly string[], urls: readonly string[]): boolean {
  const listed = new Set(urls.flatMap((url) => sanitizeUrl(url) ?? []))
  return listed.size === existing.length && existing.every((url) => listed.has(url))
}
