interface Ranked {
  readonly url: string
  readonly subscribers: number
}

/** How many others are subscribed to a podcast, beside the user who may have it. */
export function othersOf({ url, subscribers }: Ranked, isOwn: (url: string) => boolean): number {
  return subscribers - (isOwn(url) ? 1 : 0)
}

/**
 * The podcasts that somebody else has, most subscribed first. Those without a title have never been there since they
 * were added: nobody can listen to them. Where many have the same number of subscribers, as in a
 * household, the order among them changes by the day: the alphabet would always show the same ones.
 */
export function popularAmongOthers<R extends Ranked & { readonly title: string }>(
  toplist: readonly R[],
  isOwn: (url: string) => boolean,
  day: number,
) {
  return toplist
    .map((podcast, index) => ({ podcast, place: index + 1 }))
    .filter(({ podcast }) => othersOf(podcast, isOwn) > 0 && podcast.title !== '' && podcast.title !== podcast.url)
    .sort(
      (a, b) => b.podcast.subscribers - a.podcast.subscribers || mixed(a.podcast.url, day) - mixed(b.podcast.url, day),
    )
}

/** A number that is another one for each URL and day. */
function mixed(url: string, day: number): number {
  let hash = day
  for (const character of url) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
}
