import type { EpisodeNews, FailureNews, ReportedNews, Webhook, WebhookMessage } from '../domain/outlets/ports.ts'
import { secretKey, topicOf, WebhookFailure, type WebhookSender } from '../domain/outlets/webhooks.ts'
import { redactUrl } from '../domain/shared/feed-url.ts'
import { plainName } from '../domain/shared/text.ts'
import { formatTimestamp, timestampOrEmpty } from '../domain/shared/time.ts'
import { signature } from '../platform/crypto.ts'
import { FetchFailure } from './fetch-failure.ts'
import type { CheckingFetch } from './guarded-fetch.ts'

const LIMITS = { totalMs: 10_000, answerMs: 10_000, maxBytes: 0 }

/** Sends webhooks in the three formats of docs/protocol.md#webhooks, through the guarded fetch, without redirects. */
export function createWebhookSender(parts: {
  readonly fetcher: CheckingFetch
  readonly base: string | undefined
}): WebhookSender {
  const { fetcher, base } = parts
  return {
    check: (url) =>
      fetcher.check(url, true).catch((error: unknown) => {
        // A host without an address now may have one when a webhook is due.
        if (error instanceof FetchFailure && error.reason !== 'forbidden') return
        throw failureOf(error)
      }),

    async send(webhook, message, at, signal) {
      const { url, body } = bodyOf(webhook, message, base)
      const { authorization, address } = withoutUserinfo(url)
      const headers = {
        'content-type': 'application/json',
        'webhook-id': message.id,
        'webhook-timestamp': String(at),
        'webhook-signature': `v1,${signature(secretKey(webhook.secret), `${message.id}.${at}.${body}`)}`,
        ...(authorization !== undefined && { authorization }),
      }
      try {
        const { status } = await fetcher.fetch({
          url: address,
          headers,
          post: body,
          limits: LIMITS,
          mayReachPrivate: true,
          signal,
        })
        return status
      } catch (error) {
        throw failureOf(error)
      }
    },
  }
}

function bodyOf({ url, format }: Webhook, message: WebhookMessage, base: string | undefined) {
  if (format === 'json') return { url: new URL(url), body: jsonBody(message) }
  if (format === 'gotify') return { url: new URL(url), body: gotifyBody(message, base) }
  // JSON is posted to the parent of the topic's URL. A post to the topic itself would need headers for title and link,
  // which allow only Latin letters.
  const parent = new URL(url)
  const topic = topicOf(parent.pathname)
  parent.pathname = parent.pathname.slice(0, -topic.length)
  return { url: parent, body: ntfyBody(message, topic, base) }
}

function withoutUserinfo(url: URL): { readonly address: string; readonly authorization: string | undefined } {
  const { username, password } = url
  if (username === '' && password === '') return { address: url.href, authorization: undefined }
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  const userinfo = `${decoded(username)}:${decoded(password)}`
  return { address: bare.href, authorization: `Basic ${Buffer.from(userinfo).toString('base64')}` }
}

/** Decodes userinfo, which may contain a literal percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function failureOf(error: unknown): unknown {
  return error instanceof FetchFailure ? new WebhookFailure(error.message) : error
}

/** Bytes; ntfy turns a longer message into an attachment. */
const TEXT_MAX = 3500
const LINES_MAX = 10
const TITLE_MAX = 150

function jsonBody({ id, createdAt, username, news }: WebhookMessage): string {
  return JSON.stringify({ id, event: news.event, created: formatTimestamp(createdAt), user: username, ...dataOf(news) })
}

function ntfyBody({ news }: WebhookMessage, topic: string, base: string | undefined): string {
  const { title, message } = textOf(news)
  const click = linkOf(news, base)
  return JSON.stringify({ topic, title, message, tags: [TAGS[news.event]], ...(click !== undefined && { click }) })
}

function gotifyBody({ news }: WebhookMessage, base: string | undefined): string {
  const { title, message } = textOf(news)
  const url = linkOf(news, base)
  const extras = { 'client::notification': { click: { url } } }
  return JSON.stringify({ title, message, priority: PRIORITIES[news.event], ...(url !== undefined && { extras }) })
}

const TAGS: Readonly<Record<ReportedNews['event'], string>> = {
  new_episode: 'headphones',
  new_device: 'iphone',
  feed_failing: 'warning',
  test: 'white_check_mark',
}

const PRIORITIES: Readonly<Record<ReportedNews['event'], number>> = {
  new_episode: 4,
  new_device: 5,
  feed_failing: 3,
  test: 4,
}

function dataOf(news: ReportedNews): object {
  switch (news.event) {
    case 'new_episode':
      return { total: news.total, episodes: news.episodes.map(episodeJson) }
    case 'new_device':
      return {
        total: news.total,
        devices: news.devices.map(({ uid, caption, type }) => ({ id: uid, caption, type })),
      }
    case 'feed_failing':
      return { total: news.total, podcasts: news.podcasts.map(failureJson) }
    case 'test':
      return {}
  }
}

function episodeJson({ title, url, website, released, duration, ...podcast }: EpisodeNews) {
  const { podcastTitle, podcastUrl, isPrivate } = podcast
  return {
    title,
    url,
    website,
    released: timestampOrEmpty(released),
    ...(duration !== undefined && { duration }),
    podcast_title: podcastTitle,
    podcast_url: podcastUrl,
    private: isPrivate,
  }
}

function failureJson({ podcastTitle, podcastUrl, isPrivate, reason, since }: FailureNews) {
  return {
    podcast_title: podcastTitle,
    podcast_url: podcastUrl,
    private: isPrivate,
    reason,
    failing_since: formatTimestamp(since),
  }
}

/** Text of a notification. It contains no feed URL, since other people may see the screen. */
function textOf(news: ReportedNews): { readonly title: string; readonly message: string } {
  switch (news.event) {
    case 'new_episode': {
      const [first] = news.episodes
      if (news.total === 1 && first) return { title: podcastName(first), message: plain(first.title) || 'New episode' }
      const lines = news.episodes.map((episode) => `${podcastName(episode)}: ${plain(episode.title) || '(no title)'}`)
      return { title: `${news.total} new episodes`, message: listOf(lines, news.total) }
    }
    case 'new_device': {
      const lines = news.devices.map(({ uid, caption }) => plain(caption) || uid)
      return {
        title: news.total === 1 ? 'New device' : `${news.total} new devices`,
        message: listOf(lines, news.total),
      }
    }
    case 'feed_failing': {
      const lines = news.podcasts.map(podcastName)
      const title = news.total === 1 ? 'A podcast cannot be fetched' : `${news.total} podcasts cannot be fetched`
      return { title, message: listOf(lines, news.total) }
    }
    case 'test':
      return { title: 'podstep', message: 'This is a test. Messages about your podcasts will arrive here.' }
  }
}

function listOf(lines: readonly string[], total: number): string {
  const listed: string[] = []
  let bytes = 0
  for (const line of lines.slice(0, LINES_MAX)) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > TEXT_MAX) break
    listed.push(line)
  }
  return listed.length < total ? [...listed, `and ${total - listed.length} more`].join('\n') : listed.join('\n')
}

/** Returns the title. A podcast without one has its URL as title, of which only the host may be shown. */
function podcastName({ podcastTitle, podcastUrl }: Pick<EpisodeNews, 'podcastTitle' | 'podcastUrl'>): string {
  return podcastTitle === podcastUrl ? redactUrl(podcastUrl, true) : plain(podcastTitle)
}

function plain(text: string): string {
  const name = plainName(text)
  const letters = Array.from(name)
  return letters.length > TITLE_MAX ? `${letters.slice(0, TITLE_MAX - 1).join('')}…` : name
}

/** Page of a single episode, unless its URL may be a secret; otherwise this server. */
function linkOf(news: ReportedNews, base: string | undefined): string | undefined {
  const first = news.event === 'new_episode' && news.total === 1 ? news.episodes[0] : undefined
  if (first && !first.isPrivate && /^https?:\/\//.test(first.website)) return first.website
  return base
}
