import type { Clock } from '../../platform/clock.ts'
import { type Random, randomUuid } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import { type Family, labelled, single } from '../../platform/metrics.ts'
import { Secret } from '../../platform/secret.ts'
import { forEachLimit } from '../shared/concurrency.ts'
import { DomainError, invalid, outboundOff, unlessUnavailable } from '../shared/errors.ts'
import type { UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { timeOf } from '../sync/cursors.ts'
import {
  type EpisodeNews,
  type ReportedNews,
  type WaitingNews,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookEvent,
  type WebhookFormat,
  type WebhookMessage,
  type WebhookStore,
} from './ports.ts'
import { isPrivateFeed } from './private-feeds.ts'

/** The webhook could not be reached. The message names host and cause but never the URL, which may hold a secret. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure'
}

export interface WebhookSender {
  /** Rejects with `WebhookFailure` for a URL that the settings do not allow the server to reach. */
  check(url: string): Promise<void>
  /** Returns the HTTP status. Rejects with `WebhookFailure`, also soon after `signal` is aborted. */
  send(webhook: Webhook, message: WebhookMessage, at: number, signal: AbortSignal): Promise<number>
}

/** A webhook as its user sees it. The secret is shown only once, when it is generated. */
export type ShownWebhook = Omit<Webhook, 'secret' | 'userId' | 'username'> & { readonly waiting: number }

export interface WebhookRequest {
  readonly url: string
  readonly format?: WebhookFormat | undefined
  readonly events?: readonly WebhookEvent[] | undefined
  readonly secret?: string | undefined
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Maximum number of seconds between two attempts. */
export const LONGEST_PAUSE = HOUR
const WAITING_MAX = 500
const LISTED_MAX = 50
/** Seconds without further news before a message is made, so that the news of one refresh share a message. */
const QUIET_SECONDS = MINUTE
/** Maximum number of seconds that news wait for further news. */
const LONGEST_WAIT = 10 * MINUTE
const BATCH = 100
const EXPIRED_AT_ONCE = 500
/** Limits on concurrent webhooks, and on messages to each in one run, so that slow webhooks leave room for others. */
const WEBHOOKS_AT_ONCE = 4
const PER_RUN = 20

const URL_MAX = 2048
const SECRET_BYTES = 32
const SECRET_FORM = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/
const SECRET_BYTES_MIN = 24
const SECRET_BYTES_MAX = 64

const REFUSES_MESSAGE: ReadonlySet<number> = new Set([400, 413, 415, 422])

/** One webhook per user (docs/protocol.md#webhooks). Messages are delivered at least once, and dropped after a day. */
export function createWebhooks(parts: {
  readonly store: WebhookStore
  readonly sender: WebhookSender
  readonly base: string | undefined
  readonly tests: RateLimit
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly isOff: boolean
}) {
  const { store, sender, base, tests, clock, random, log, isOff } = parts
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  const counts = { delivered: 0, failed: 0 }

  async function getWebhook(userId: UserId) {
    const webhook = await store.get(userId)
    if (!webhook) throw new DomainError('not_found', 'the account has no webhook')
    return webhook
  }

  const messageOf = (username: string, news: ReportedNews): WebhookMessage => ({
    id: randomUuid(random),
    createdAt: clock.seconds(),
    username,
    news,
  })

  async function collect(): Promise<void> {
    const at = clock.seconds()
    const bounds = { at, quietSince: at - QUIET_SECONDS, waitingSince: at - LONGEST_WAIT }
    for (;;) {
      const ready = await store.listReady(bounds, BATCH)
      for (const { userId, username, event } of ready) {
        const news = await store.news(userId, event)
        const relevant = selectNews(event, news, at, base)
        const message = relevant && messageOf(username, relevant)
        await store.enqueue({ userId, event, lastId: news.lastId }, message, WAITING_MAX)
      }
      if (ready.length < BATCH || stopping.signal.aborted) return
    }
  }

  async function attempt(webhook: Webhook, message: WebhookMessage): Promise<number | WebhookFailure> {
    try {
      return await sender.send(webhook, message, clock.seconds(), stopping.signal)
    } catch (error) {
      if (error instanceof WebhookFailure) return error
      throw error
    }
  }

  /** Returns the updated webhook, or undefined if its other messages must wait. */
  async function deliver(webhook: Webhook, row: number, message: WebhookMessage): Promise<Webhook | undefined> {
    const { userId, url, failures } = webhook
    const outcome = await attempt(webhook, message)
    const at = clock.seconds()
    if (typeof outcome === 'number' && outcome >= 200 && outcome < 300) {
      await store.delivered(webhook, row, at)
      counts.delivered++
      return { ...webhook, failures: 0 }
    }
    // The message may have arrived anyway. It is sent again after the next start.
    if (stopping.signal.aborted) return undefined
    counts.failed++
    const error = errorOf(url, outcome)
    if (outcome === 401 || outcome === 410) {
      const reason = outcome === 401 ? 'unauthorized' : 'gone'
      await store.switchOff(webhook, reason, { at, error })
      log.info('switched a webhook off', { user_id: userId, reason })
      return undefined
    }
    if (typeof outcome === 'number' && REFUSES_MESSAGE.has(outcome)) {
      await store.refused(webhook, row, { at, error })
      return webhook
    }
    const nextAttemptAt = at + Math.min(LONGEST_PAUSE, MINUTE * 2 ** Math.min(failures, 20))
    await store.failed(webhook, { at, nextAttemptAt, error })
    log.debug('a webhook failed', { user_id: userId, cause: error, failures: failures + 1 })
    return undefined
  }

  async function deliverTo(webhook: Webhook): Promise<void> {
    let current: Webhook | undefined = webhook
    for (const { row, message } of await store.messages(webhook.userId, PER_RUN)) {
      if (stopping.signal.aborted || !current) return
      current = await deliver(current, row, message)
    }
  }

  async function runAll(): Promise<void> {
    while ((await store.expire(clock.seconds() - DAY, EXPIRED_AT_ONCE)) === EXPIRED_AT_ONCE);
    await collect()
    if (!isOff && !stopping.signal.aborted)
      await forEachLimit(await store.listDue(clock.seconds(), BATCH), WEBHOOKS_AT_ONCE, deliverTo)
  }

  function run(): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve()
    running ??= unlessUnavailable(runAll()).finally(() => {
      running = undefined
    })
    return running
  }

  return {
    async find(userId: UserId): Promise<ShownWebhook | undefined> {
      const webhook = await store.get(userId)
      return webhook && toShown(webhook)
    },

    /** Saves a webhook and turns it on; returns a generated secret. Throws `validation_failed`, `outbound_off`. */
    async set(
      userId: UserId,
      { url, format = 'json', events = WEBHOOK_EVENTS, secret }: WebhookRequest,
    ): Promise<{ readonly webhook: ShownWebhook; readonly secret: Secret | undefined }> {
      if (isOff) throw outboundOff()
      const settings = { url: parseWebhookUrl(url, format), format, events: parseEvents(events) }
      const chosenSecret = secret === undefined ? undefined : parseSecret(secret)
      await sender.check(settings.url).catch((error: unknown) => {
        throw error instanceof WebhookFailure ? invalid('url', `url: ${error.message}`) : error
      })
      const savedSecret = chosenSecret ?? newSecret(random)
      const isNew = await store.set(userId, settings, savedSecret, chosenSecret !== undefined)
      return {
        webhook: toShown(await getWebhook(userId)),
        secret: isNew && chosenSecret === undefined ? savedSecret : undefined,
      }
    },

    /** Throws `not_found`. */
    remove: (userId: UserId): Promise<void> => store.remove(userId),

    /** Throws `not_found`, `outbound_off`, `rate_limited`, `webhook_failed`. */
    async test(userId: UserId): Promise<void> {
      const webhook = await getWebhook(userId)
      if (isOff) throw outboundOff()
      tests.take(String(userId))
      const outcome = await attempt(webhook, messageOf(webhook.username, { event: 'test' }))
      if (typeof outcome !== 'number' || outcome < 200 || outcome >= 300)
        throw new DomainError('webhook_failed', errorOf(webhook.url, outcome))
    },

    run,

    // In the middle of the minute, since feeds are refreshed at its start.
    jobs: [{ name: 'webhooks', pattern: '30 * * * * *', run }],

    async counters(): Promise<Family[]> {
      const help = 'Attempts to deliver a message, by result: delivered or failed.'
      const waiting = await store.waiting()
      return [
        single('gauge', 'podstep_webhook_queue_depth', 'Messages that wait to be delivered.', waiting),
        labelled('counter', ['podstep_webhook_attempts_total', help], 'result', counts),
      ]
    },

    stop: (): void => stopping.abort(),
  }
}

export function selectNews(
  event: WebhookEvent,
  news: WaitingNews,
  at: number,
  base: string | undefined,
): ReportedNews | undefined {
  if (event === 'new_device') return listFirst(news.devices, (devices, total) => ({ event, total, devices }))
  if (event === 'feed_failing') return listFirst(news.podcasts, (podcasts, total) => ({ event, total, podcasts }))
  // A podcast with two addresses reports the same episode twice.
  const episodes = new Map<string, EpisodeNews>()
  for (const { subscribedSeq, ...episode } of news.episodes) {
    // Reported by the podcast that the episode comes from.
    if (base !== undefined && isPrivateFeed(episode.podcastUrl, base)) continue
    // Only episodes released after the subscription are news. Once a clock that was a year ahead has been corrected,
    // the webhook must not stay silent for a year.
    const since = subscribedSeq > at + DAY ? undefined : timeOf(subscribedSeq, at)
    const isOld = episode.released !== undefined && since !== undefined && episode.released < since
    if (!isOld && !episodes.has(episode.url)) episodes.set(episode.url, episode)
  }
  return listFirst([...episodes.values()], (listed, total) => ({ event, total, episodes: listed }))
}

function toShown({
  secret: _secret,
  userId: _userId,
  username: _username,
  ...shown
}: Webhook & ShownWebhook): ShownWebhook {
  return shown
}

function listFirst<T>(
  all: readonly T[],
  make: (listed: readonly T[], total: number) => ReportedNews,
): ReportedNews | undefined {
  return all.length === 0 ? undefined : make(all.slice(0, LISTED_MAX), all.length)
}

function errorOf(url: string, outcome: number | WebhookFailure): string {
  return typeof outcome === 'number' ? `${new URL(url).host} answered ${outcome}` : outcome.message
}

/** Normalizes the URL. Keeps userinfo, which the sender turns into a header. Throws `validation_failed`. */
export function parseWebhookUrl(text: string, format: WebhookFormat): string {
  const url = text.length > URL_MAX ? null : URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.href.length > URL_MAX)
    throw invalid(
      'url',
      `url must be an address that begins with http:// or https://, of ${URL_MAX} characters at most`,
    )
  url.hash = ''
  if (format === 'ntfy' && topicOf(url.pathname) === '')
    throw invalid('url', 'url must be the address of a topic, like https://ntfy.example/my-podcasts')
  if (format === 'gotify' && !(url.pathname.endsWith('/message') && url.searchParams.has('token')))
    throw invalid('url', 'url must be like https://gotify.example/message?token=…')
  return url.href
}

export function topicOf(path: string): string {
  const topic = path.slice(path.lastIndexOf('/') + 1)
  return /^[-_A-Za-z0-9]{1,64}$/.test(topic) ? topic : ''
}

function parseEvents(events: readonly WebhookEvent[]): readonly WebhookEvent[] {
  if (events.length === 0) throw invalid('events', `events must name at least one of ${WEBHOOK_EVENTS.join(', ')}`)
  return WEBHOOK_EVENTS.filter((event) => events.includes(event))
}

function newSecret(random: Random): Secret {
  return new Secret(`whsec_${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64')}`)
}

function parseSecret(text: string): Secret {
  const bytes = secretKey(new Secret(text)).length
  if (!SECRET_FORM.test(text) || bytes < SECRET_BYTES_MIN || bytes > SECRET_BYTES_MAX)
    throw invalid('secret', `secret must be whsec_ and ${SECRET_BYTES_MIN} to ${SECRET_BYTES_MAX} bytes in base64`)
  return new Secret(text)
}

/** Key that signs the messages. */
export function secretKey(secret: Secret): Uint8Array {
  return Buffer.from(secret.reveal().slice('whsec_'.length), 'base64')
}
