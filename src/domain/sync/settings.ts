import { parseDeviceId } from '../accounts/identifiers.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import type { SettingsKey, SettingsStore } from './ports.ts'
import type { SettingsChange } from './settings-rules.ts'

/** What the settings are about, as clients name it. */
export interface SettingsTarget {
  readonly scope: string
  readonly device?: string | undefined
  /** Feed URL. */
  readonly podcast?: string | undefined
  /** Media URL. */
  readonly episode?: string | undefined
}

/**
 * What people set for all their apps to share, with any values (docs/protocol.md#settings). Both methods give the JSON object, as text, and
 * throw `not_found` (unknown scope), `validation_failed` (what the scope needs is missing or malformed), `unknown_device`.
 */
export interface Settings {
  read(userId: UserId, target: SettingsTarget): Promise<string>
  /** Throws `payload_too_large` (one object) and `quota_exceeded` (the number of objects), too. */
  change(userId: UserId, target: SettingsTarget, change: SettingsChange): Promise<string>
}

export function createSettings(store: SettingsStore): Settings {
  return {
    read: async (userId, target) => store.read(userId, keyOf(target)),
    change: async (userId, target, change) => store.change(userId, keyOf(target), change),
  }
}

/** docs/protocol.md#D55: podcasts and episodes need not be known. */
function keyOf({ scope, device, podcast, episode }: SettingsTarget): SettingsKey {
  switch (scope) {
    case 'account':
      return { scope, target: '' }
    case 'device':
      return { scope, target: parseDeviceId(needed('device', device)) }
    case 'podcast':
      return { scope, target: urlOf('podcast', podcast) }
    case 'episode':
      return { scope, target: `${urlOf('podcast', podcast)} ${urlOf('episode', episode)}` }
    default:
      throw new DomainError('not_found', 'there are settings of account, device, podcast and episode only')
  }
}

function urlOf(name: string, raw: string | undefined): string {
  const url = sanitizeUrl(needed(name, raw))
  if (url === undefined) throw invalid(name, `${name} must be an http or https URL`)
  return url
}

function needed(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw invalid(name, `the parameter ${name} is missing`)
  return value
}
