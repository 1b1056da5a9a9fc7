import { webhookSenderOf } from '../adapters.ts'
import { createWebhooks } from '../domain/outlets/webhooks.ts'
import { type Base, limit, MINUTE } from './base.ts'

/** What the server tells others for its users. */
export function outletServices(base: Base) {
  const { config, store, clock, random, log, version, webhookSender } = base
  return {
    webhooks: createWebhooks({
      store: store.webhooks,
      sender: webhookSender ?? webhookSenderOf(config, version),
      tests: limit(base, 10, 10 * MINUTE),
      clock,
      random,
      log,
    }),
  }
}
