import { webhookSenderOf } from '../adapters.ts'
import { createPrivateFeeds } from '../domain/outlets/private-feeds.ts'
import { createWebhooks } from '../domain/outlets/webhooks.ts'
import { createLru } from '../platform/lru.ts'
import { type Base, limit, MINUTE } from './base.ts'
import type { syncServices } from './sync.ts'

/** Feeds and lists, a hundred bytes each. */
const VERSIONS_MAX = 5_000

export function outletServices(base: Base, { subscriptions }: ReturnType<typeof syncServices>) {
  const { config, store, background, clock, random, log, version, webhookSender } = base
  return {
    privateFeeds: createPrivateFeeds({
      store: store.privateFeeds,
      inbox: store.inbox,
      queue: store.episodeQueue,
      folders: store.folders,
      appPasswords: store.appPasswords,
      subscriptions,
      // Apps keep polling URLs with a revoked token, each for several feeds.
      guesses: limit(base, 300, 5 * MINUTE),
      versions: createLru(VERSIONS_MAX, clock),
      background,
      clock,
    }),
    webhooks: createWebhooks({
      store: store.webhooks,
      sender: webhookSender ?? webhookSenderOf(config, version),
      base: config.baseUrl?.href,
      tests: limit(base, 10, 10 * MINUTE),
      clock,
      random,
      log,
      isOff: config.outbound === 'off',
    }),
  }
}
