/** A podcast (docs/protocol.md#podcast-object, D20). Unknown text is '' since clients type-check every key. */
export interface PodcastObject {
  /** Feed URL, sanitised (docs/protocol.md#D16). */
  readonly url: string
  readonly title: string
  readonly author: string
  readonly description: string
  readonly website: string
  readonly logoUrl: string
  readonly language: string
  readonly subscribers: number
  readonly subscribersLastWeek: number
}

export interface ListedFeed {
  readonly url: string
  readonly title?: string | undefined
}
