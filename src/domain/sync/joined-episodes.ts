import type { PodcastId } from '../shared/ids.ts'

/** A media URL with actions of a user. All that are compared share a guid, or have none. */
export interface NamedEpisode {
  readonly id: number
  readonly podcastId: PodcastId
  /** Media URL. */
  readonly url: string
  /** Whether the feed uses the guid for several episodes. */
  readonly isShared: boolean
}

export interface JoinPlan {
  /** IDs in groups; each group is one episode with several media URLs. */
  readonly joined: readonly (readonly number[])[]
  /** IDs whose guid is hidden from clients. */
  readonly hidden: ReadonlySet<number>
}

/** Whether two different addresses belong to one podcast (docs/protocol.md#D83). */
export type IsSamePodcast = (one: PodcastId, other: PodcastId) => boolean

/**
 * Decides which media URLs with the same guid are one episode of the user (docs/protocol.md#D84): those of one podcast,
 * unless the feed uses the guid for several episodes, which are then told apart by media URL. A guid of several
 * episodes, in one podcast or in two, is hidden: AntennaPod looks for it in all feeds and would pick the wrong one.
 */
export function planJoins(episodes: readonly NamedEpisode[], isSamePodcast: IsSamePodcast): JoinPlan {
  let podcasts: NamedEpisode[][] = []
  for (const episode of episodes) {
    const isSame = ({ podcastId }: NamedEpisode) =>
      podcastId === episode.podcastId || isSamePodcast(podcastId, episode.podcastId)
    const same = podcasts.filter((rows) => rows.some(isSame))
    podcasts = [...podcasts.filter((rows) => !same.includes(rows)), [...same.flat(), episode]]
  }
  const isAmbiguous = podcasts.length > 1
  const named = podcasts.filter((rows) => !rows.some(({ isShared }) => isShared))
  const shared = podcasts.filter((rows) => rows.some(({ isShared }) => isShared))
  const idsOf = (rows: readonly NamedEpisode[]) => rows.map(({ id }) => id)
  const byUrl = shared.flatMap((rows) => [...Map.groupBy(rows, ({ url }) => url).values()])
  return {
    joined: [...named, ...byUrl].filter(({ length }) => length > 1).map(idsOf),
    hidden: new Set(idsOf(isAmbiguous ? episodes : shared.flat())),
  }
}

/**
 * Returns the IDs of actions to upload again when a podcast moves, in upload order: all at the old address, and those
 * at the new one that came after the first of them. This keeps the last action last.
 */
export function planMove(from: readonly number[], to: readonly number[]): number[] {
  let first = Number.POSITIVE_INFINITY
  for (const id of from) first = Math.min(first, id)
  return [...from, ...to.filter((id) => id > first)].sort((one, other) => one - other)
}
