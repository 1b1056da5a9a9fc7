import fc from 'fast-check'
import { listenStateOf } from '../../src/domain/sync/episode-actions.ts'
import type { ActionQuery, EpisodeAction } from '../../src/domain/sync/ports/episode-actions.ts'
import type { Store } from '../../src/store/stores.ts'
import { known } from '../store/contract/feeds/feeds.ts'
import { A, B, feedEpisode, fingerprinted, T, written } from '../store/contract/fixtures.ts'

/** An action with the logical time of its upload, and the guid that it named or that its media URL had at that time. */
type Logged = EpisodeAction & { readonly seq: number; name: string | undefined }

/** An episode in the feed at an address. */
export interface Published {
  readonly podcast: string
  readonly url: string
  readonly guid: string
  readonly isShared: boolean
  readonly duration?: number | undefined
}

/** An episode that a request marks as new, played or in progress. */
export interface Marked extends Pick<EpisodeAction, 'podcast' | 'episode' | 'guid' | 'position' | 'total'> {}

const mediaOf = ({ podcast, episode }: Pick<EpisodeAction, 'podcast' | 'episode'>) => `${podcast} ${episode}`
const isState = ({ kind }: EpisodeAction) => kind === 'play' || kind === 'new'
const isFinished = (one: EpisodeAction | undefined) =>
  one?.kind === 'play' && (one.total ?? 0) > 0 && (one.position ?? 0) >= (one.total ?? 0)
const sameAs = (one: EpisodeAction) => {
  const text = repeatOf(one)
  return (other: EpisodeAction) => repeatOf(other) === text
}
const repeatOf = ({ podcast, episode, kind, at, device, started, position, total }: EpisodeAction) =>
  JSON.stringify([podcast, episode, kind, at, device ?? '', started, position, total])

export type EpisodeModel = ReturnType<typeof createEpisodeModel>

/**
 * The simplest model of a user's episode actions by docs/protocol.md: #D45, #D49, #D84, #D86 and #D91. Podcasts
 * have one address each.
 */
export function createEpisodeModel() {
  let log: Logged[] = []
  const feed = new Map<string, Published>()

  const ofMedia = (media: string) => log.filter((one) => mediaOf(one) === media)
  /** Whether the feed uses the guid of the media URL for several episodes. */
  const isSharedAt = (media: string, guid: string) =>
    feed.get(media)?.guid === guid && feed.get(media)?.isShared === true
  const isShared = (podcast: string, guid: string) =>
    log.some((one) => one.podcast === podcast && one.name === guid && isSharedAt(mediaOf(one), guid))

  function episodeBy(podcast: string, media: string, guid: string | undefined): string {
    if (guid === undefined) return media
    return isShared(podcast, guid) || isSharedAt(media, guid) ? `${media} as ${guid}` : `${podcast} guid ${guid}`
  }
  const episodeOf = (one: Logged) => episodeBy(one.podcast, mediaOf(one), one.name)
  const ofEpisode = (episode: string) => log.filter((one) => episodeOf(one) === episode)
  const stateOf = (some: readonly Logged[]) =>
    some
      .filter(isState)
      .toSorted((one, other) => one.at - other.at)
      .at(-1)
  const latestOf = (some: readonly Logged[]) => stateOf(some) ?? some.toSorted((one, other) => one.at - other.at).at(-1)

  /** The guid of an action that is uploaded now. */
  function nameFor(added: EpisodeAction): string | undefined {
    const known = ofMedia(mediaOf(added)).at(-1)
    return added.guid ?? (known ? known.name : feed.get(mediaOf(added))?.guid)
  }

  function teachMissing(media: string, guid: string): void {
    for (const one of ofMedia(media)) one.name ??= guid
  }

  function isRepeat(added: EpisodeAction): boolean {
    const { kind, started, position, total } = added
    if (kind !== 'play' || position === undefined || position !== total) return false
    if (started !== undefined && started !== position) return false
    const some = ofEpisode(episodeBy(added.podcast, mediaOf(added), nameFor(added))).filter(isState)
    const own = some.findLast(({ device = '' }) => device === (added.device ?? ''))
    return isFinished(stateOf(some)) || (started !== undefined && isFinished(own))
  }

  /** False if the action is stored already. */
  function store(added: EpisodeAction, seq: number, keepsRepeats: boolean): boolean {
    if (added.guid !== undefined) teachMissing(mediaOf(added), added.guid)
    if (!keepsRepeats && isRepeat(added)) return false
    const isOther = ({ name }: Logged) => keepsRepeats && added.guid !== undefined && name !== added.guid
    if (log.some((one) => !isOther(one) && sameAs(added)(one))) return false
    log.push({ ...added, name: nameFor(added), seq })
    return true
  }

  /** The action as it is listed. */
  function toListed(one: Logged): EpisodeAction {
    const { seq: _, name, ...rest } = one
    const newest = ofEpisode(episodeOf(one)).at(-1) ?? one
    const podcasts = new Set(log.flatMap((other) => (other.name === name ? other.podcast : [])))
    const isTold = name !== undefined && podcasts.size < 2 && !isShared(one.podcast, name)
    return { ...rest, episode: newest.episode, guid: isTold ? name : undefined }
  }

  /** The episode that a mark applies to, and the guid of the mark. A media URL with a single episode means that one. */
  function toMark({ podcast, episode, guid }: Marked) {
    const media = mediaOf({ podcast, episode })
    const wanted = guid ?? feed.get(media)?.guid
    const last = ofMedia(media).at(-1)
    const isOne = new Set(ofMedia(media).map(({ name }) => name)).size === 1
    const name = last && (isOne || wanted === undefined) ? last.name : wanted
    return { key: episodeBy(podcast, media, name), guid: name ?? wanted }
  }

  return {
    publish(item: Published): void {
      const media = `${item.podcast} ${item.url}`
      const former = feed.get(media)?.guid
      feed.set(media, item)
      teachMissing(media, item.guid)
      const names = new Set(ofMedia(media).map(({ name }) => name))
      if (names.size === 1 && names.has(former)) for (const one of ofMedia(media)) one.name = item.guid
    },

    add: (added: EpisodeAction, seq: number): boolean => store(added, seq, false),

    /** Uploads the actions of a moved podcast again; false if there are none. */
    move(from: string, to: string, seq: number): boolean {
      const first = log.findIndex(({ podcast }) => podcast === from)
      if (first < 0) return false
      const isAgain = ({ podcast }: Logged, n: number) => n >= first && (podcast === from || podcast === to)
      const again = log
        .filter(isAgain)
        .map((one) => ({ ...one, guid: one.name && isSharedAt(mediaOf(one), one.name) ? undefined : one.name }))
      log = log.filter((one, n) => !isAgain(one, n))
      for (const one of again) store({ ...one, podcast: to }, seq, true)
      return true
    },

    /** Returns how many episodes were in another state before. */
    mark(items: readonly Marked[], as: 'new' | 'played' | 'in_progress', now: number, seq: number): number {
      const seen = new Set<string>()
      const marks: EpisodeAction[] = []
      for (const item of items) {
        const { podcast, episode, position = 0 } = item
        const { key, guid } = toMark(item)
        if (seen.has(key)) continue
        seen.add(key)
        const state = latestOf(ofEpisode(key))
        if (listenStateOf(state) === as && (as !== 'in_progress' || state?.position === position)) continue
        const at = state ? Math.max(now, state.at + 1) : now
        const length =
          ofEpisode(key).findLast(({ total = 0 }) => total > 1)?.total ?? feed.get(mediaOf(item))?.duration ?? 1
        const total = as === 'played' ? length : Math.max(item.total ?? length, position + 1)
        const place = as === 'played' ? total : position
        const seconds = as === 'new' ? {} : { started: place, position: place, total }
        marks.push({ podcast, episode, guid, at, kind: as === 'new' ? 'new' : 'play', ...seconds })
      }
      for (const mark of marks) store(mark, seq, true)
      return marks.length
    },

    list({ since, podcast, device, aggregated, onlyStates }: ActionQuery): EpisodeAction[] {
      const matching = log
        .filter((one) => podcast === undefined || one.podcast === podcast)
        .filter((one) => device === undefined || one.device === device)
        .filter((one) => !onlyStates || isState(one))
        .toSorted((one, other) => one.at - other.at)
      if (!aggregated) return matching.filter(({ seq }) => seq >= since).map(toListed)
      const listed = new Set(matching.filter(({ seq }) => seq >= since).map(episodeOf))
      const states = new Map([...Map.groupBy(matching, episodeOf)].map(([key, some]) => [key, latestOf(some)]))
      return matching.filter((one) => listed.has(episodeOf(one)) && states.get(episodeOf(one)) === one).map(toListed)
    },

    inProgress(): EpisodeAction[] {
      const states = [...Map.groupBy(log, episodeOf).values()].flatMap((some) => latestOf(some) ?? [])
      return states.filter((state) => listenStateOf(state) === 'in_progress').map(toListed)
    },

    seqs: () => [...new Set(log.map(({ seq }) => seq))],
  }
}

export const GUIDS = ['fog', 'ebb', 'tide'] as const
const MEDIA = [1, 2, 3, 4].map((n) => `https://cdn.example/${n}`)
export const anyMedia = fc.constantFrom(...MEDIA)

const TOTAL = 60
const ACTIONS = {
  begun: { kind: 'play', started: 0, position: 5, total: TOTAL },
  heard: { kind: 'play', started: 5, position: TOTAL, total: TOTAL },
  mark: { kind: 'play', started: TOTAL, position: TOTAL, total: TOTAL },
  end: { kind: 'play', position: TOTAL, total: TOTAL },
  over: { kind: 'play', started: 0, position: TOTAL + 9, total: TOTAL },
  zero: { kind: 'play', started: 0, position: 0, total: 0 },
  endOfZero: { kind: 'play', position: 0, total: 0 },
  start: { kind: 'play', started: 0, position: 0, total: 90 },
  endless: { kind: 'play', started: 0, position: 7 },
  unplaced: { kind: 'play' },
  new: { kind: 'new' },
  download: { kind: 'download' },
} as const

/** Few media URLs, guids and times, so that episodes have several media URLs whose guids change. */
export const anyAction: fc.Arbitrary<EpisodeAction> = fc
  .record({
    podcast: fc.constantFrom(A, A, B),
    episode: anyMedia,
    guid: fc.constantFrom(undefined, undefined, 'fog', 'fog', 'ebb', 'tide'),
    at: fc.integer({ min: T, max: T + 12 }),
    device: fc.constantFrom('phone', 'desk', undefined),
    what: fc.constantFrom(...(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]), 'begun', 'mark', 'mark'),
  })
  .map(({ what, ...rest }) => ({ ...rest, ...ACTIONS[what] }))

/** An episode in a feed, every other one with its length. */
export const anyPublished: fc.Arbitrary<Published> = fc
  .record({
    podcast: fc.constantFrom(A, A, B),
    url: anyMedia,
    guid: fc.constantFrom('fog', ...GUIDS),
    isShared: fc.constantFrom(false, false, true),
  })
  .map((item) => ({ ...item, duration: MEDIA.indexOf(item.url) % 2 === 0 ? 40 : undefined }))

export async function publish(store: Store, { podcast, url, guid, isShared, duration }: Published): Promise<void> {
  const fingerprint = isShared ? `.${url}.${guid}` : `${guid}.${url}.`
  const episode = { ...fingerprinted(feedEpisode({ url, guid, duration })), fingerprint }
  await written(store, store.feeds.saveEpisodes((await known(store, podcast)).id, [episode], T))
}
