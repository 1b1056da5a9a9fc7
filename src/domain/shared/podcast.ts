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
  /** Distinct active users with at least one subscribed device. */
  readonly subscribers: number
  /** The same seven days ago, or `subscribers` if unknown. */
  readonly subscribersLastWeek: number
}

/** A feed in a user's list, as written there. */
export interface ListedFeed {
  readonly url: string
  /** Undefined where the list has none. */
  readonly title?: string | undefined
}
