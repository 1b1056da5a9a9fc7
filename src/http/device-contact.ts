import type { Principal } from '../domain/accounts/authentication.ts'
import type { LastSeen } from '../domain/sync/last-seen.ts'

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
