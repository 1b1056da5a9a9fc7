import type { ShownWebhook } from '../../../domain/outlets/webhooks.ts'
import { timestampOrEmpty } from '../../../domain/shared/time.ts'
import { del, get, post, put, type Route } from '../../endpoint.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/outlets/webhook.ts'
import { OK } from '../../spec/shared/models.ts'

const PATH = '/api/2/me/webhook'

/** docs/protocol.md#webhooks. Rejects app passwords: a revoked one must not leave a webhook behind. */
export const webhookRoutes = ({ webhooks }: RouteParts): Route[] => [
  get(PATH, 'owner', spec.getWebhook, async ({ principal: { user } }) => {
    const webhook = await webhooks.find(user.id)
    return webhook ? toWebhookJson(webhook) : null
  }),
  put(PATH, 'owner', spec.setWebhook, async ({ principal: { user }, body }) => {
    const { webhook, secret } = await webhooks.set(user.id, body)
    return { ...toWebhookJson(webhook), ...(secret && { secret: secret.reveal() }) }
  }),
  del(PATH, 'owner', spec.removeWebhook, async ({ principal: { user } }) => {
    await webhooks.remove(user.id)
    return OK
  }),
  post(`${PATH}/test`, 'owner', spec.testWebhook, async ({ principal: { user } }) => {
    await webhooks.test(user.id)
    return OK
  }),
]

function toWebhookJson(webhook: ShownWebhook) {
  const { url, format, events, offReason = '', waiting, dropped, error = '', failures, nextAttemptAt } = webhook
  return {
    url,
    format,
    events: [...events],
    off_reason: offReason,
    waiting,
    dropped,
    last_success: timestampOrEmpty(webhook.deliveredAt),
    last_failure: timestampOrEmpty(webhook.failedAt),
    last_error: error,
    next_attempt: timestampOrEmpty(failures > 0 && offReason === '' ? nextAttemptAt : undefined),
  }
}
