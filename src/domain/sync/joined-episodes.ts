import type { PodcastId } from '../shared/ids.ts'

/** A media URL on which a user has actions, and of which a guid is known: the same one for all that are compared. */
export interface NamedEpisode {
  readonly id: number
  readonly podcastId: PodcastId
  /** Of the media. */
  readonly url: string
  /** The feed uses the guid for several episodes. */
  readonly isShared: boolean
}

export interface JoinPlan {
  /** Each of them is one episode of several media URLs. */
  readonly joined: readonly (readonly number[])[]
  /** Those of which no client is to be told the guid. */
  readonly hidden: ReadonlySet<number>
}

/** Whether two different addresses are of one podcast (docs/protocol.md#D83). */
export type IsSamePodcast = (one: PodcastId, other: PodcastId) => boolean

/**
 * Which of the media URLs that share a guid are one episode of the user (docs/protocol.md#D84): those of one podcast,
 * unless the feed uses the guid for several episodes, which are told by their media URLs then. A guid that names several episodes of the user, in one podcast or
 * in two, is told to nobody: AntennaPod looks for it in all feeds, and would take another one for it.
 */
export function planJoins(episodes: readonly NamedEpisode[], isSamePodcast: IsSamePodcast): JoinPlan {
  let podcasts: NamedEpisode[][] = []
  for (const episode of episodes) {
    const isSame = ({ podcastId }: NamedEpisode) =>
      podcastId === episode.podcastId || isSamePodcast(podcastId, episode.podcastId)
    const same = podcasts.filter((some) => some.some(isSame))
    podcasts = [...podcasts.filter((some) => !same.includes(some)), [...same.flat(), episode]]
  }
  const isAmbiguous = podcasts.length > 1
  const named = podcasts.filter((some) => !some.some(({ isShared }) => isShared))
  const shared = podcasts.filter((some) => some.some(({ isShared }) => isShared))
  const idsOf = (some: readonly NamedEpisode[]) => some.map(({ id }) => id)
  const byUrl = shared.flatMap((some) => [...Map.groupBy(some, ({ url }) => url).values()])
  return {
    joined: [...named, ...byUrl].filter(({ length }) => length > 1).map(idsOf),
    hidden: new Set(idsOf(isAmbiguous ? episodes : shared.flat())),
  }
}

/**
 * Numbers of the actions that a move of a podcast uploads again, in upload order: all at the old address, and those at
 * the new one that came after the first of them. So the last action stays last.
 */
export function planMove(from: readonly number[], to: readonly number[]): number[] {
  let first = Number.POSITIVE_INFINITY
  for (const id of from) first = Math.min(first, id)
  return [...from, ...to.filter((id) => id > first)].sort((one, other) => one - other)
}
