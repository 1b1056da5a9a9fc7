/** Fewer listeners are shown as none: either of two would know what the other one hears (docs/protocol.md#D113). */
const LISTENERS_MIN = 3

/** The number of listeners that pages show. */
export function shownListeners(count: number): number {
  return count < LISTENERS_MIN ? 0 : count
}

interface Ranked {
  readonly url: string
  readonly subscribers: number
}

/**
 * What is popular on the server, most subscribed first, among podcasts whose number of listeners pages show. Podcasts
 * without a title could not be fetched since they were added, so there is nothing to play. Among podcasts with the same
 * number of subscribers the order changes by the day: the alphabet would always show the same ones.
 */
export function popularOf<R extends Ranked & { readonly title: string }>(toplist: readonly R[], day: number) {
  return toplist
    .map((podcast, index) => ({ podcast, place: index + 1 }))
    .filter(
      ({ podcast: { url, title, subscribers } }) => shownListeners(subscribers) > 0 && title !== '' && title !== url,
    )
    .sort(
      (a, b) => b.podcast.subscribers - a.podcast.subscribers || mixed(a.podcast.url, day) - mixed(b.podcast.url, day),
    )
}

/** Covers of a line: fewer say nothing about a topic, and more nobody looks through. */
const COVERS_MIN = 3
const COVERS_MAX = 12

/** What is popular and was not in the list a week ago. Nothing in the first week of a server, where everything is new. */
export function newAmong<R extends { readonly podcast: { readonly url: string; readonly position_last_week: number } }>(
  popular: readonly R[],
  isOwn: (url: string) => boolean,
): R['podcast'][] {
  const hasPast = popular.some(({ podcast }) => podcast.position_last_week > 0)
  if (!hasPast) return []
  const added = popular.map(({ podcast }) => podcast).filter((podcast) => podcast.position_last_week === 0)
  return added.filter(({ url }) => !isOwn(url)).slice(0, COVERS_MAX)
}

/** What is shown of the podcasts of a topic: those first that the user does not have. Nothing if there are none. */
export function coversOf<P extends { readonly url: string }>(
  podcasts: readonly P[],
  isOwn: (url: string) => boolean,
): P[] {
  const [own = [], others = []] = [true, false].map((wanted) => podcasts.filter(({ url }) => isOwn(url) === wanted))
  return others.length > 0 && podcasts.length >= COVERS_MIN ? [...others, ...own].slice(0, COVERS_MAX) : []
}

/** A number that is another one for each URL and day. */
function mixed(url: string, day: number): number {
  let hash = day
  for (const character of url) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
}
