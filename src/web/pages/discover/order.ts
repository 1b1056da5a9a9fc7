/** Fewer listeners are hidden: each of two would know what the other listens to (docs/protocol.md#D113). */
const LISTENERS_MIN = 3

/** Returns the number of listeners to show, or 0 to hide it. */
export function shownListeners(count: number): number {
  return count < LISTENERS_MIN ? 0 : count
}

interface Ranked {
  readonly url: string
  readonly title: string
  readonly subscribers: number
  /** 0 if the podcast was not in the list. */
  readonly position_last_week: number
}

/**
 * Returns the popular podcasts of the server, those with enough listeners to show. Podcasts without a title have never
 * been fetched, so they have nothing to play.
 */
export function popularOf<R extends Ranked>(toplist: readonly R[]): R[] {
  return toplist.filter(
    ({ url, title, subscribers }) => shownListeners(subscribers) > 0 && title !== '' && title !== url,
  )
}

/** Limits for the covers in a row: fewer do not represent a topic, and users do not scroll through more. */
const COVERS_MIN = 3
const COVERS_MAX = 12

/** Returns popular podcasts that are new since last week. Empty in a server's first week, when all are new. */
export function newAmong<R extends Ranked>(popular: readonly R[], isOwn: (url: string) => boolean): R[] {
  const isNew = ({ position_last_week: place }: Ranked) => place === 0
  if (popular.every(isNew)) return []
  return popular.filter((podcast) => isNew(podcast) && !isOwn(podcast.url)).slice(0, COVERS_MAX)
}

/** Returns the covers for a topic, podcasts that the user does not have first; empty if there are too few of them. */
export function coversOf<P extends { readonly url: string }>(
  podcasts: readonly P[],
  isOwn: (url: string) => boolean,
): P[] {
  const [own = [], others = []] = [true, false].map((wanted) => podcasts.filter(({ url }) => isOwn(url) === wanted))
  return others.length > 0 && podcasts.length >= COVERS_MIN ? [...others, ...own].slice(0, COVERS_MAX) : []
}
