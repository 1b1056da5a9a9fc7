import type { BlockedEpisodes, BlockedGuids, FeedDetails, FeedEpisode } from '../../domain/feeds/document.ts'
import { type EpisodeNames, isName, joinNames, namesOf } from '../fingerprints.ts'
import { tooMany } from './document-bounds.ts'

const ITEMS_MAX = 30_000

export interface MapOptions {
  readonly url: string
  readonly maxEpisodes: number
  readonly earlier?: EpisodeNames
}

export interface MappedFeed {
  readonly details: FeedDetails
  /** Address of the next page (RFC 5005), or `''`. */
  readonly nextUrl: string
  readonly episodes: readonly EpisodeDraft[]
  readonly blockedEpisodes: BlockedEpisodes
  readonly blockedGuids: BlockedGuids
  readonly names: EpisodeNames
}

/** Properties that decide whether to keep an episode. The rest, which takes most of the time, is read by `finish`. */
export interface EpisodeDraft {
  readonly url: string
  readonly guid: string
  readonly released: number | undefined
  readonly isBlocked: boolean
  finish(): FeedEpisode
}

/** Throws `NotAFeed` for more items than any podcast has. */
export function checkItems(items: readonly unknown[]): void {
  if (items.length > ITEMS_MAX) throw tooMany(ITEMS_MAX, 'items')
}

/** Keeps the newest episodes, up to the limit. */
export function mappedFeed(
  { details, nextUrl, drafts: all }: Pick<MappedFeed, 'details' | 'nextUrl'> & { drafts: readonly EpisodeDraft[] },
  { maxEpisodes: max, earlier }: MapOptions,
): MappedFeed {
  const names = earlier ? joinNames(earlier, namesOf(all)) : namesOf(all)
  const drafts = earlier ? all.filter((draft) => !isRepeated(draft, earlier, names)) : all
  const blocked = new Set(details.isBlocked ? [] : drafts.filter(({ isBlocked }) => isBlocked).map(({ url }) => url))
  const isOpen = ({ url }: EpisodeDraft) => !blocked.has(url)
  const guids = drafts.filter((draft) => !isOpen(draft) && isName(draft.guid, names)).map(({ guid }) => guid)
  return {
    details,
    nextUrl,
    episodes: keepNewest(blocked.size === 0 ? drafts : drafts.filter(isOpen), max),
    blockedEpisodes: [...blocked].slice(0, max),
    blockedGuids: [...new Set(guids)].slice(0, max),
    names,
  }
}

/** Pages overlap if an episode is published while they are read, and its URL may be signed differently in each. */
function isRepeated({ url, guid }: EpisodeDraft, earlier: EpisodeNames, names: EpisodeNames): boolean {
  return earlier.urls.has(url) || (isName(guid, names) && earlier.guids.has(guid))
}

/** Sorts before all dates. */
const UNDATED = Number.MIN_SAFE_INTEGER

/** Keeps the first of several episodes with the same media file, which is the newest in most feeds. */
function keepNewest(episodes: readonly EpisodeDraft[], max: number): EpisodeDraft[] {
  const distinct = new Map(episodes.toReversed().map((episode) => [episode.url, episode]))
  return episodes
    .filter((episode) => distinct.get(episode.url) === episode)
    .toSorted((a, b) => (b.released ?? UNDATED) - (a.released ?? UNDATED))
    .slice(0, max)
}
