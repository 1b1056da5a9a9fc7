import type { Secret } from '../../platform/secret.ts'
import type { FeedFailureReason } from '../feeds/ports.ts'
import type { UserId } from '../shared/ids.ts'

/* Ports of private feeds and webhooks. */

export const WEBHOOK_EVENTS = ['new_episode', 'new_device', 'feed_failing'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export type WebhookFormat = 'json' | 'ntfy' | 'gotify'

export interface WebhookSettings {
  readonly url: string
  readonly format: WebhookFormat
  readonly events: readonly WebhookEvent[]
}

export type WebhookOffReason = 'unauthorized' | 'gone' | 'password_reset'

export interface Webhook extends WebhookSettings {
  readonly userId: UserId
  readonly username: string
  readonly secret: Secret
  readonly offReason: WebhookOffReason | undefined
  readonly failures: number
  readonly nextAttemptAt: number
  readonly deliveredAt: number | undefined
  readonly failedAt: number | undefined
  readonly error: string | undefined
  readonly dropped: number
}

export interface EpisodeNews {
  readonly title: string
  readonly url: string
  readonly website: string
  readonly released: number | undefined
  readonly duration: number | undefined
  readonly podcastTitle: string
  readonly podcastUrl: string
  /** Whether its URLs may be secrets of the subscribers (docs/protocol.md#D56). */
  readonly isPrivate: boolean
}

export interface DeviceNews {
  readonly uid: string
  readonly caption: string
  readonly type: string
}

export interface FailureNews {
  readonly podcastTitle: string
  readonly podcastUrl: string
  readonly isPrivate: boolean
  readonly reason: FeedFailureReason
  readonly since: number
}

export type ReportedNews =
  | { readonly event: 'new_episode'; readonly total: number; readonly episodes: readonly EpisodeNews[] }
  | { readonly event: 'new_device'; readonly total: number; readonly devices: readonly DeviceNews[] }
  | { readonly event: 'feed_failing'; readonly total: number; readonly podcasts: readonly FailureNews[] }
  | { readonly event: 'test' }

export interface WebhookMessage {
  readonly id: string
  readonly createdAt: number
  readonly username: string
  readonly news: ReportedNews
}

export type SubscribedEpisode = EpisodeNews & { readonly subscribedSeq: number }

export interface WaitingNews {
  /** ID of the last item, so that `enqueue` leaves later ones alone. */
  readonly lastId: number
  readonly episodes: readonly SubscribedEpisode[]
  readonly devices: readonly DeviceNews[]
  readonly podcasts: readonly FailureNews[]
}

export interface WaitingMessage {
  readonly row: number
  readonly message: WebhookMessage
}

export interface WebhookStore {
  get(userId: UserId): Promise<(Webhook & { readonly waiting: number }) | undefined>
  /** Saves the webhook and turns it on. Returns whether it now uses `secret`. */
  set(userId: UserId, settings: WebhookSettings, secret: Secret, replacesSecret: boolean): Promise<boolean>
  /** Removes the webhook with its pending news and messages. Rejects with `not_found`. */
  remove(userId: UserId): Promise<void>
  /** News to send: the last is from before `quietSince`, the first from before `waitingSince`, or one is after `at`. */
  listReady(
    bounds: { at: number; quietSince: number; waitingSince: number },
    limit: number,
  ): Promise<{ readonly userId: UserId; readonly username: string; readonly event: WebhookEvent }[]>
  news(userId: UserId, event: WebhookEvent): Promise<WaitingNews>
  /** Replaces news up to `lastId` by a message, or removes them. Drops the oldest messages beyond `max`. */
  enqueue(
    from: { userId: UserId; event: WebhookEvent; lastId: number },
    message: WebhookMessage | undefined,
    max: number,
  ): Promise<void>
  listDue(at: number, limit: number): Promise<Webhook[]>
  messages(userId: UserId, limit: number): Promise<WaitingMessage[]>
  delivered(webhook: Webhook, row: number, at: number): Promise<void>
  refused(webhook: Webhook, row: number, failure: { at: number; error: string }): Promise<void>
  failed(webhook: Webhook, failure: { at: number; nextAttemptAt: number; error: string }): Promise<void>
  switchOff(webhook: Webhook, reason: WebhookOffReason, failure: { at: number; error: string }): Promise<void>
  waiting(): Promise<number>
  expire(madeBefore: number, limit: number): Promise<number>
}

export interface EpisodeKey {
  readonly podcast: string
  readonly episode: string
}

export interface EpisodeFile {
  readonly notes: string
  readonly mimeType: string
  readonly size: number | undefined
  readonly isGuidShared: boolean
}

/** Results are in the order of `episodes`; undefined for an episode that is unknown, or hidden from this user. */
export interface PrivateFeedStore {
  fingerprints(userId: UserId, episodes: readonly EpisodeKey[]): Promise<readonly (string | undefined)[]>
  files(userId: UserId, episodes: readonly EpisodeKey[]): Promise<readonly (EpisodeFile | undefined)[]>
}
