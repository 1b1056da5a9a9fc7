import type { PodcastId } from '../../shared/ids.ts'
import { type IsSamePodcast, planJoins } from '../joined-episodes.ts'
import type { EpisodeAction } from '../ports/episode-actions.ts'

/**
 * Maximum number of media URLs of one guid that are joined into one episode. Publishers who sign their URLs again every
 * day stay far below it. Beyond it, further URLs are separate episodes and the guid is hidden from clients, so that no
 * upload has to compare thousands of rows.
 */
const JOINED_MAX = 64

/** Maximum number of rows a source returns for one guid. One is spare, in case a row has lost the guid in memory. */
export const NAMED_MAX = JOINED_MAX + 2

interface StateAction {
  /** True for `play` and `new`. Other actions set the state only of an episode that has neither. */
  readonly isState: boolean
  readonly at: number
}

/** The action that determines the state of an episode (docs/protocol.md#D45). */
export interface Status extends StateAction {
  readonly actionId: number
  readonly isFinished: boolean
  /** `at` if the action leaves the episode in progress. */
  readonly progressAt: number | undefined
}

/** Whether a newly uploaded action replaces `current` as the state of the episode. */
export function tellsState({ isState, at }: StateAction, current: StateAction): boolean {
  return isState === current.isState ? at >= current.at : isState
}

export interface StoredEpisode {
  readonly id: number
  readonly guid: string | undefined
  readonly isFormer: boolean
  readonly isHidden: boolean
  readonly joinedId: number | undefined
  readonly lastId: number
  readonly state: Status | undefined
}

/** A media URL with one of the user's rows for it. */
export interface StoredMedia {
  readonly id: number
  readonly podcastId: PodcastId
  readonly url: string
  /** Whether the podcast has other addresses. */
  readonly hasAliases: boolean
  /** Guid in the feed. Always set if the row has none, or if the feed uses it for several episodes. */
  readonly feedGuid: string | undefined
  readonly isFeedGuidShared: boolean
  readonly hasFormer: boolean
  readonly episode: StoredEpisode | undefined
}

export interface StoredJoin {
  readonly mediaId: number
  readonly state: Status | undefined
}

/** Reads a user's stored rows. Results do not include changes pending in the book. */
export interface EpisodeSource {
  /** Rows with this guid, oldest first, at most `NAMED_MAX`. */
  named(guid: string): readonly StoredMedia[]
  former(mediaId: number, guid: string): StoredMedia | undefined
  /** The media URL at this address of its podcast and at all others, each with its current row. */
  sameMedia(podcastId: PodcastId, url: string): readonly StoredMedia[]
  joined(id: number): StoredJoin | undefined
  members(joinedId: number): readonly StoredMedia[]
  /** Pairs of addresses that belong to one podcast. */
  related(podcastIds: Iterable<PodcastId>): readonly (readonly [PodcastId, PodcastId])[]
  /** Whether exactly this action is stored for the row. */
  isStored(action: EpisodeAction, episodeId: number): boolean
  /** Whether exactly this action is stored for any row of the media URL. */
  isStoredAtMedia(action: EpisodeAction, mediaId: number): boolean
  /** Whether the device's last `play` or `new` on the rows that end in `lastIds` finished the episode. */
  wasLastFinished(device: string, lastIds: readonly number[]): boolean
  /** Ascending IDs for new rows. */
  nextAction(): number
  nextEpisode(): number
  nextJoin(): number
}

export interface Media extends Omit<StoredMedia, 'episode'> {
  feedGuid: string | undefined
  isFeedGuidShared: boolean
  hasFormer: boolean
  /** The row that actions without a guid belong to. */
  current: Episode | undefined
  /** Former rows by guid, loaded on demand. */
  readonly formers: Map<string, Episode | undefined>
  /** Rows of this media URL at all addresses of its podcast; `undefined` until they are read. */
  same: readonly Media[] | undefined
  /** Added actions of all its rows. */
  readonly added: AddedAction[]
}

export interface Episode {
  readonly id: number
  readonly media: Media
  guid: string | undefined
  /** Whether a later action on the media URL named another guid. */
  isFormer: boolean
  /** Whether the guid is hidden from clients. */
  isHidden: boolean
  /** 0 until the first action. */
  lastId: number
  state: Status | undefined
  joined: Join | undefined
  /** 0 for a new row. */
  readonly storedLastId: number
  readonly added: AddedAction[]
}

/** Several media URLs that are one episode of the user (docs/protocol.md#D84). */
export interface Join {
  readonly id: number
  /** The most recently uploaded media URL; clients see it as the URL of the episode. */
  mediaId: number
  state: Status | undefined
  readonly members: Set<Episode>
  isComplete: boolean
}

export interface AddedAction {
  readonly id: number
  readonly episode: Episode
  /** ID of the previous action uploaded for this row; 0 for the first. */
  readonly previousId: number
  readonly action: EpisodeAction
}

export type EpisodeBook = ReturnType<typeof createEpisodeBook>

/**
 * The episodes of one user during a change: rows are read once, changed in memory, and written from `changes` at the
 * end. Decides which media URLs are one episode.
 */
export function createEpisodeBook(source: EpisodeSource) {
  const mediaById = new Map<number, Media>()
  const episodes = new Map<number, Episode>()
  const joins = new Map<number, Join>()
  /** The oldest rows of each guid, at most `NAMED_MAX`. */
  const byGuid = new Map<string, Episode[]>()
  const loadedGuids = new Set<string>()
  const changes = {
    added: [] as AddedAction[],
    /** Rows whose last action or state has changed. */
    states: new Set<Episode>(),
    /** Rows whose guid or join has changed. */
    names: new Set<Episode>(),
    joins: new Set<Join>(),
  }

  function take({ episode, ...stored }: StoredMedia): Media {
    let found = mediaById.get(stored.id)
    if (!found) {
      found = { ...stored, current: undefined, formers: new Map(), same: undefined, added: [] }
      mediaById.set(found.id, found)
    } else if (stored.feedGuid !== undefined) {
      found.feedGuid = stored.feedGuid
      found.isFeedGuidShared = stored.isFeedGuidShared
    }
    if (episode && !episodes.has(episode.id)) takeEpisode(found, episode)
    return found
  }

  function takeEpisode(media: Media, { joinedId, ...stored }: StoredEpisode): void {
    const joined = joinedId === undefined ? undefined : openJoin(joinedId)
    open({ ...stored, media, joined, storedLastId: stored.lastId, added: [] })
  }

  function open(episode: Episode): Episode {
    episodes.set(episode.id, episode)
    episode.joined?.members.add(episode)
    if (!episode.isFormer) episode.media.current = episode
    else if (episode.guid !== undefined) episode.media.formers.set(episode.guid, episode)
    index(episode)
    return episode
  }

  function index(episode: Episode): void {
    const { guid, id } = episode
    if (guid === undefined) return
    const rows = byGuid.get(guid)
    if (!rows) {
      byGuid.set(guid, [episode])
      return
    }
    const position = rows.findLastIndex((other) => other.id < id) + 1
    rows.splice(position, 0, episode)
    if (rows.length > NAMED_MAX) rows.pop()
  }

  function openJoin(id: number): Join {
    const existing = joins.get(id)
    if (existing) return existing
    const { mediaId = 0, state } = source.joined(id) ?? {}
    const opened: Join = { id, mediaId, state, members: new Set(), isComplete: false }
    joins.set(id, opened)
    return opened
  }

  /** Rows with the guid, oldest first, up to one more than `JOINED_MAX`. */
  function named(guid: string): Episode[] {
    if (!loadedGuids.has(guid)) {
      loadedGuids.add(guid)
      for (const each of source.named(guid)) take(each)
    }
    return byGuid.get(guid)?.slice(0, JOINED_MAX + 1) ?? []
  }

  function membersOf(joined: Join): Episode[] {
    if (!joined.isComplete) for (const each of source.members(joined.id)) take(each)
    joined.isComplete = true
    return [...joined.members]
  }

  /** The current rows of the media URL at all addresses of its podcast. */
  function sameMedia(media: Media): Episode[] {
    media.same ??= source.sameMedia(media.podcastId, media.url).map(take)
    return media.same.flatMap(({ current }) => current ?? [])
  }

  /** Skips the query for a single podcast, the usual case. */
  function samePodcastAmong(podcastIds: readonly PodcastId[]): IsSamePodcast {
    const ids = new Set(podcastIds)
    if (ids.size < 2) return () => false
    const pairs = new Set(source.related(ids).map(([one, other]) => `${one} ${other}`))
    return (one, other) => pairs.has(`${one} ${other}`)
  }

  function setJoin(episode: Episode, joined: Join | undefined, isHidden: boolean): void {
    if (episode.joined === joined && episode.isHidden === isHidden) return
    episode.joined?.members.delete(episode)
    joined?.members.add(episode)
    if (episode.joined) changes.joins.add(episode.joined)
    episode.joined = joined
    episode.isHidden = isHidden
    changes.names.add(episode)
  }

  function setGuid(episode: Episode, guid: string): void {
    const former = episode.guid === undefined ? undefined : byGuid.get(episode.guid)
    if (former?.includes(episode)) former.splice(former.indexOf(episode), 1)
    episode.guid = guid
    index(episode)
    changes.names.add(episode)
    setJoin(episode, undefined, false)
  }

  /** Joins rows according to `planJoins`, and separates those that are no longer one episode. */
  function joinRows(rows: readonly Episode[], isCrowded = false, beyond: readonly Episode[] = []): void {
    const { joined, hidden } = planJoins(
      rows.map((row) => ({ id: row.id, podcastId: row.media.podcastId, url: row.media.url, isShared: isShared(row) })),
      samePodcastAmong(rows.map((row) => row.media.podcastId)),
    )
    const joinOf = new Map<Episode, Join>()
    for (const ids of joined) {
      const members = rows.filter(({ id }) => ids.includes(id))
      const state = latest(members)
      const newest = newestOf(members)
      if (!state || !newest) continue
      // A former join may have split into two episodes; only the first keeps it.
      const taken = new Set(joinOf.values())
      const former = members.find((row) => row.joined && !taken.has(row.joined))?.joined
      const join = former ?? createJoin()
      join.mediaId = newest.media.id
      join.state = state
      changes.joins.add(join)
      for (const member of members) joinOf.set(member, join)
    }
    for (const row of rows) {
      const isHidden = row.guid !== undefined && (isCrowded || hidden.has(row.id))
      setJoin(row, joinOf.get(row), isHidden)
    }
    for (const row of beyond) setJoin(row, undefined, true)
  }

  function createJoin(): Join {
    const created = {
      id: source.nextJoin(),
      mediaId: 0,
      state: undefined,
      members: new Set<Episode>(),
      isComplete: true,
    }
    joins.set(created.id, created)
    return created
  }

  /**
   * Joins or separates the user's rows with this guid. `added` just got the guid, and may come after the last row that
   * is considered.
   */
  function join(guid: string, added?: Episode): void {
    const found = named(guid)
    // An older row that got this guid may have displaced the first row beyond the limit.
    const beyond = found.slice(JOINED_MAX)
    const isCrowded = beyond.length > 0
    if (isCrowded && added && !found.includes(added)) beyond.push(added)
    joinRows(found.slice(0, JOINED_MAX), isCrowded, beyond)
  }

  /** Joins or separates rows without a guid and everything they are joined with. */
  function joinAround(found: readonly Episode[]): void {
    const unnamed = found.flatMap(({ joined }) => (joined ? unnamedOf(joined) : []))
    joinRows([...new Set([...found, ...unnamed])])
  }

  const unnamedOf = (joined: Join) => membersOf(joined).filter(({ guid }) => guid === undefined)

  /** Updates joins after a row was removed or got another guid. */
  function mend(guid: string | undefined, joined: Join | undefined): void {
    if (guid !== undefined) join(guid)
    else if (joined) joinRows(unnamedOf(joined))
    if (joined) changes.joins.add(joined)
  }

  /** Changes the guid of the row, and fills in the guid at other addresses of its podcast where it is missing. */
  function rename(episode: Episode, guid: string): void {
    const { guid: formerGuid, joined } = episode
    setGuid(episode, guid)
    mend(formerGuid, joined)
    join(guid, episode)
    if (episode.media.hasAliases) nameMedia(episode.media, guid)
  }

  /** Gives the guid to rows of the media URL at other addresses of its podcast that have none. */
  function nameMedia(media: Media, guid: string): void {
    for (const episode of sameMedia(media)) {
      if (episode.guid !== undefined) continue
      const { joined } = episode
      setGuid(episode, guid)
      mend(undefined, joined)
      join(guid, episode)
    }
  }

  /** The guid of the media URL's newest row that has one, across all addresses of the podcast. */
  const guidOfMedia = (media: Media): string | undefined => newestOf(sameMedia(media).filter(({ guid }) => guid))?.guid

  return {
    changes,
    take,
    episode: (id: number) => episodes.get(id),
    mend: (guid: string | undefined, joinedId: number | undefined) =>
      mend(guid, joinedId === undefined ? undefined : openJoin(joinedId)),
    join,
    rename,
    nameMedia,
    named,
    sameMedia,
    membersOf,
    guidOfMedia,

    /** Joins or separates the user's rows of a media URL at all addresses of its podcast. */
    joinMedia(media: Media): void {
      const guid = guidOfMedia(media)
      if (guid !== undefined) nameMedia(media, guid)
      else joinAround(sameMedia(media))
    },

    /** Finds the former row of the media URL with this guid. */
    former(media: Media, guid: string): Episode | undefined {
      if (!media.formers.has(guid)) {
        const stored = media.hasFormer ? source.former(media.id, guid) : undefined
        if (stored) take(stored)
        else media.formers.set(guid, undefined)
      }
      return media.formers.get(guid)
    },

    /** Returns a new row for the media URL; the caller must add its first action. */
    insert(media: Media, guid: string | undefined): Episode {
      if (media.current) retire(media.current)
      const isHidden = guid !== undefined && guid === media.feedGuid && media.isFeedGuidShared
      const empty = { isFormer: false, lastId: 0, storedLastId: 0, state: undefined, joined: undefined }
      return open({ id: source.nextEpisode(), media, guid, isHidden, ...empty, added: [] })
    },

    /** Makes a former row current again: actions without a guid then belong to it. */
    makeCurrent(episode: Episode): void {
      if (episode.media.current) retire(episode.media.current)
      episode.isFormer = false
      episode.media.current = episode
      changes.names.add(episode)
    },

    /** Rows of the podcast with this guid; empty if the feed uses the guid for several episodes. */
    elsewhere({ podcastId }: Media, guid: string): readonly Episode[] {
      const all = named(guid).slice(0, JOINED_MAX)
      const isSame = samePodcastAmong([podcastId, ...all.map((row) => row.media.podcastId)])
      const rows = all.filter(({ media: { podcastId: id } }) => id === podcastId || isSame(id, podcastId))
      return rows.some(isShared) ? [] : rows
    },
  }

  function retire(episode: Episode): void {
    episode.isFormer = true
    episode.media.hasFormer = true
    if (episode.guid !== undefined) episode.media.formers.set(episode.guid, episode)
    changes.names.add(episode)
  }
}

/** Whether the feed uses the row's guid for several episodes. */
const isShared = ({ guid, media }: Episode) => guid !== undefined && guid === media.feedGuid && media.isFeedGuidShared

function newestOf(rows: readonly Episode[]): Episode | undefined {
  return rows.toSorted((one, other) => other.lastId - one.lastId)[0]
}

/** State of the episode that all these rows belong to. */
export function latest(rows: readonly Episode[]): Status | undefined {
  const states = rows.flatMap(({ state }) => state ?? []).sort((one, other) => one.actionId - other.actionId)
  let found: Status | undefined
  for (const state of states) if (!found || tellsState(state, found)) found = state
  return found
}
