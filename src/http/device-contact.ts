import type { Caller } from '../domain/authentication.ts'
import type { DeviceContacts } from '../domain/device-contacts.ts'

/** Notes that an app has used devices. A browser that is signed in is none: who looks after the phone there has not used the phone. */
export function noteContact(
  contacts: DeviceContacts,
  { headers }: Request,
  { user, via }: Caller,
  ...devices: readonly string[]
): void {
  if (via === 'cookie' && headers.get('user-agent')?.startsWith('Mozilla/') === true) return
  for (const device of devices) contacts.note(user.id, device)
}
