/**
 * What we tell about a podcast (docs/protocol.md#podcast-object, D20). Unknown text is '' and never undefined: clients
 * type-check every key. The keys that depend on the request (`mygpo_link`, `scaled_logo_url`) are added later.
 */
export interface PodcastObject {
  /** Feed URL, sanitised (docs/protocol.md#D16). */
  readonly url: string
  /** '' if unknown; writers then show the URL. */
  readonly title: string
  readonly author: string
  readonly description: string
  readonly website: string
  readonly logoUrl: string
  /** Lower-case as in the feed, e.g. `en` or `pt-br`. */
  readonly language: string
  /** Distinct active users with at least one subscribed device, as `shownListeners` has it. */
  readonly subscribers: number
  /** The same seven days ago, or `subscribers` if unknown. */
  readonly subscribersLastWeek: number
}

/** Fewer listeners are shown as none: either of two would know what the other one hears. */
export const LISTENERS_MIN = 3

/** The number of listeners that anybody may see (docs/protocol.md#D113). */
export function shownListeners(count: number): number {
  return count < LISTENERS_MIN ? 0 : count
}

/** A feed in somebody's list, as written there. */
export interface ListedFeed {
  readonly url: string
  /** Undefined where the list has none. */
  readonly title?: string | undefined
}
