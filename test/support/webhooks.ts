import type { Webhook, WebhookMessage } from '../../src/domain/outlets/ports.ts'
import { WebhookFailure, type WebhookSender } from '../../src/domain/outlets/webhooks.ts'

interface Delivery {
  readonly url: string
  readonly message: WebhookMessage
  readonly at: number
}

/** Result of an attempt: a status, or the reason why there is no response. */
type Script = (
  webhook: Webhook,
  message: WebhookMessage,
  signal: AbortSignal,
) => Promise<number | string> | number | string

/** In-memory receiver of webhooks, which accepts everything by default. */
export function receiver() {
  const attempts: Delivery[] = []
  const script: { answer: Script; isForbidden: (url: string) => boolean } = {
    answer: () => 200,
    isForbidden: () => false,
  }
  const sender: WebhookSender = {
    async check(url) {
      if (script.isForbidden(url))
        throw new WebhookFailure('it is in a private network; webhook_allow_private could allow it')
    },
    async send(webhook, message, at, signal) {
      attempts.push({ url: webhook.url, message, at })
      const outcome = await script.answer(webhook, message, signal)
      if (typeof outcome === 'string') throw new WebhookFailure(outcome)
      return outcome
    },
  }
  return { sender, script, attempts, told: () => attempts.map(({ message }) => message.news) }
}
