import type { PodcastId } from '../shared/ids.ts'

/** A media URL on which a user has actions, and of which a guid is known: the same one for all that are compared. */
export interface NamedEpisode {
  readonly id: number
  readonly podcastId: PodcastId
  /** The feed uses the guid for several episodes. */
  readonly isShared: boolean
}

export interface JoinPlan {
  /** Each of them is one episode of several media URLs. */
  readonly joined: readonly (readonly number[])[]
  /** Those of which no client is to be told the guid. */
  readonly hidden: ReadonlySet<number>
}

/** Whether both are the same podcast. Addresses tell podcasts apart. */
export function isSamePodcast(one: PodcastId, other: PodcastId): boolean {
  return one === other
}

/**
 * Which of the media URLs that share a guid are one episode of the user (docs/protocol.md#D84): those of one podcast,
 * unless the feed uses the guid for several episodes. A guid that names several episodes of the user, in one podcast or
 * in two, is told to nobody: AntennaPod looks for it in all feeds, and would take another one for it.
 */
export function planJoins(episodes: readonly NamedEpisode[]): JoinPlan {
  const podcasts: NamedEpisode[][] = []
  for (const episode of episodes) {
    const known = podcasts.find(([first]) => first && isSamePodcast(first.podcastId, episode.podcastId))
    if (known) known.push(episode)
    else podcasts.push([episode])
  }
  const isAmbiguous = podcasts.length > 1
  const named = podcasts.filter((some) => !some.some(({ isShared }) => isShared))
  const shared = podcasts.filter((some) => some.some(({ isShared }) => isShared))
  const idsOf = (some: readonly NamedEpisode[]) => some.map(({ id }) => id)
  return {
    joined: named.filter(({ length }) => length > 1).map(idsOf),
    hidden: new Set(idsOf(isAmbiguous ? episodes : shared.flat())),
  }
}
