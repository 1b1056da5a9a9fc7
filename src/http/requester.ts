import type { Principal } from '../domain/accounts/authentication.ts'
import type { SyncClient } from '../domain/sync/subscriptions.ts'

export function syncClientOf({ user, client }: Principal): SyncClient {
  return { userId: user.id, client }
}
