import type { Principal } from '../../domain/accounts/authentication.ts'
import type { LookupPrincipal } from '../../domain/feeds/on-demand.ts'
import type { LastSeen } from '../../domain/sync/last-seen.ts'
import type { SyncClient } from '../../domain/sync/subscriptions.ts'
import type { Origins } from '../origin.ts'

export function syncClientOf({ user, client }: Principal): SyncClient {
  return { userId: user.id, client }
}

export function lookupPrincipalOf(
  request: Request,
  principal: Principal | undefined,
  origins: Origins,
): LookupPrincipal {
  return { userId: principal?.user.id, address: origins.clientAddress(request) }
}

/** Notes that an app has used devices. A browser that is signed in is none: who looks after the phone there has not used the phone. */
export function noteLastSeen(
  lastSeen: LastSeen,
  { headers }: Request,
  { user, via }: Principal,
  ...devices: readonly string[]
): void {
  if (via === 'cookie' && headers.get('user-agent')?.startsWith('Mozilla/') === true) return
  for (const device of devices) lastSeen.note(user.id, device)
}
