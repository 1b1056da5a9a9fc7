/** Fewer listeners are shown as none: either of two would know what the other one hears (docs/protocol.md#D113). */
const LISTENERS_MIN = 3

/** The number of listeners that pages show. */
export function shownListeners(count: number): number {
  return count < LISTENERS_MIN ? 0 : count
}

interface Ranked {
  readonly url: string
  readonly title: string
  readonly subscribers: number
  /** 0 if it was not in the list. */
  readonly position_last_week: number
}

/**
 * What is popular on the server: podcasts whose number of listeners pages show. Those without a title could not be
 * fetched since they were added, so there is nothing to play.
 */
export function popularOf<R extends Ranked>(toplist: readonly R[]): R[] {
  return toplist.filter(
    ({ url, title, subscribers }) => shownListeners(subscribers) > 0 && title !== '' && title !== url,
  )
}

/** Covers of a line: fewer say nothing about a topic, and more nobody looks through. */
const COVERS_MIN = 3
const COVERS_MAX = 12

/** What is popular and was not in the list a week ago. Nothing in the first week of a server, where everything is new. */
export function newAmong<R extends Ranked>(popular: readonly R[], isOwn: (url: string) => boolean): R[] {
  const isNew = ({ position_last_week: place }: Ranked) => place === 0
  if (popular.every(isNew)) return []
  return popular.filter((podcast) => isNew(podcast) && !isOwn(podcast.url)).slice(0, COVERS_MAX)
}

/** What is shown of the podcasts of a topic: those first that the user does not have. Nothing if there are none. */
export function coversOf<P extends { readonly url: string }>(
  podcasts: readonly P[],
  isOwn: (url: string) => boolean,
): P[] {
  const [own = [], others = []] = [true, false].map((wanted) => podcasts.filter(({ url }) => isOwn(url) === wanted))
  return others.length > 0 && podcasts.length >= COVERS_MIN ? [...others, ...own].slice(0, COVERS_MAX) : []
}
