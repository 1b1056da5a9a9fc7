import { SETTINGS_BYTES_MAX } from '../domain/sync/settings.ts'
import type { ImportRecord } from '../domain/transfer/records.ts'

export const SETTINGS_JSON_LIMITS = { bytes: 256 * 1024, values: 64 * 1024 } as const

type SettingsRecord = Extract<ImportRecord, { readonly kind: 'settings' }>
export type SettingsOwner = Omit<SettingsRecord, 'kind' | 'values'>

export function settingsRecord(owner: SettingsOwner, values: SettingsRecord['values']): ImportRecord {
  if (Buffer.byteLength(JSON.stringify(values)) > SETTINGS_BYTES_MAX) return largeSettings(owner)
  return { kind: 'settings', ...owner, values }
}

export function largeSettings({ scope, device, podcast, episode }: SettingsOwner): ImportRecord {
  const examples = [[scope, device, podcast, episode].filter(Boolean).join(' ')]
  return { kind: 'skipped', what: 'settings', reason: `larger than ${SETTINGS_BYTES_MAX} bytes`, examples }
}
