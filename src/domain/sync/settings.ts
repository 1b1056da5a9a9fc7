import type { Clock } from '../../platform/clock.ts'
import { isRecord } from '../../platform/unknown.ts'
import { parseDeviceId } from '../accounts/identifiers.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { parseExactly } from '../shared/exact-json.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import type { SettingsChange, SettingsKey, SettingsStore } from './ports/settings.ts'

export interface SettingsTarget {
  readonly scope: string
  readonly device?: string | undefined
  readonly podcast?: string | undefined
  readonly episode?: string | undefined
}

export type Settings = ReturnType<typeof createSettings>

/** Settings shared by apps (docs/protocol.md#settings), as JSON text. Throws `not_found`, `validation_failed`. */
export function createSettings(store: SettingsStore, clock: Clock) {
  return {
    read: async (userId: UserId, target: SettingsTarget): Promise<string> => store.read(userId, keyOf(target)),
    /** Also throws `payload_too_large` (size of an object) and `quota_exceeded` (number of objects). */
    change: async (userId: UserId, target: SettingsTarget, change: SettingsChange): Promise<string> =>
      store.change(userId, keyOf(target), change, clock.seconds()),
  }
}

/** Podcasts and episodes need not exist (docs/protocol.md#D55). */
function keyOf({ scope, device, podcast, episode }: SettingsTarget): SettingsKey {
  switch (scope) {
    case 'account':
      return { scope, target: '' }
    case 'device':
      return { scope, target: parseDeviceId(requireParameter('device', device)) }
    case 'podcast':
      return { scope, target: urlOf('podcast', podcast) }
    case 'episode':
      return { scope, target: `${urlOf('podcast', podcast)} ${urlOf('episode', episode)}` }
    default:
      throw new DomainError('not_found', 'only the account, devices, podcasts and episodes have settings')
  }
}

function urlOf(name: string, raw: string | undefined): string {
  const url = sanitizeUrl(requireParameter(name, raw))
  if (url === undefined) throw invalid(name, `${name} must be an http or https URL`)
  return url
}

function requireParameter(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw invalid(name, `the parameter ${name} is missing`)
  return value
}

/** Maximum size of a stored object, in bytes of UTF-8 (docs/protocol.md#D19). */
export const SETTINGS_BYTES_MAX = 64 * 1024

export const NOTHING_SET = '{}'

const encoder = new TextEncoder()

/** Returns the object after a change, in which `set` comes before `remove`. Throws `payload_too_large`. */
export function changeSettings(stored: string, { set, remove }: SettingsChange): string {
  // A map and `fromEntries` treat `__proto__` and the like as ordinary keys.
  const settings = new Map([...entriesOf(parseExactly(stored)), ...entriesOf(set)])
  for (const key of remove) settings.delete(key)
  const changed = JSON.stringify(Object.fromEntries(settings))
  if (encoder.encode(changed).length > SETTINGS_BYTES_MAX)
    throw new DomainError('payload_too_large', `these settings would be larger than ${SETTINGS_BYTES_MAX} bytes`)
  return changed
}

/** Whether these settings of an episode make it a favorite (docs/protocol.md#D54). */
export function isFavorite(stored: string): boolean {
  // Rules out nearly all settings without parsing them.
  if (!stored.includes('"is_favorite":true')) return false
  const settings = parseExactly(stored)
  return isRecord(settings) && settings['is_favorite'] === true
}

/** Whether settings of a podcast make the subscription public; undefined if they do not say. */
export function publicSubscriptionOf(stored: string): boolean | undefined {
  if (!stored.includes('"public_subscription":')) return undefined
  const settings = parseExactly(stored)
  const choice = isRecord(settings) ? settings['public_subscription'] : undefined
  return typeof choice === 'boolean' ? choice : undefined
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
