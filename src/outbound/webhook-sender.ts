import type { Webhook, WebhookMessage } from '../domain/outlets/ports.ts'
import { secretKey, topicOf, WebhookFailure, type WebhookSender } from '../domain/outlets/webhooks.ts'
import { signature } from '../platform/crypto.ts'
import { FetchFailure } from './fetch-failure.ts'
import type { CheckingFetch } from './guarded-fetch.ts'
import { gotifyBody, jsonBody, ntfyBody } from './webhook-formats.ts'

const LIMITS = { totalMs: 10_000, answerMs: 10_000, maxBytes: 0 }

/** Sends webhooks in the three formats of docs/protocol.md#webhooks, by the guarded fetch and without redirects. */
export function createWebhookSender(parts: {
  readonly fetcher: CheckingFetch
  readonly base: string | undefined
}): WebhookSender {
  const { fetcher, base } = parts
  return {
    check: (url) =>
      fetcher.check(url, true).catch((error: unknown) => {
        // A host that has no address at the moment may have one when there is something to tell.
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
  // JSON goes to the place that the topics are in. Headers, which could name title and link at the topic itself, are
  // for Latin letters only.
  const place = new URL(url)
  const topic = topicOf(place.pathname)
  place.pathname = place.pathname.slice(0, -topic.length)
  return { url: place, body: ntfyBody(message, topic, base) }
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

/** Userinfo may hold a percent sign that stands for itself. */
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
