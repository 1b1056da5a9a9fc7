import { isRecord } from '../../platform/unknown.ts'
import { isDeviceId } from '../accounts/identifiers.ts'
import { planActions } from '../sync/episode-actions.ts'
import type { ImportRecord } from './records.ts'

/** Records of imported actions, usable and skipped. `device` overrides the device of each item. */
export function actionRecords(items: readonly unknown[], now: number, device?: string): ImportRecord[] {
  const { actions, rejected } = planActions(items.map(withUsableDevice), now, device)
  const records: ImportRecord[] = actions.length > 0 ? [{ kind: 'actions', actions }] : []
  const reasons = new Map<string, number>()
  for (const { message } of rejected) reasons.set(message, (reasons.get(message) ?? 0) + 1)
  const unnamed = items.length - actions.length - rejected.length
  if (unnamed > 0) reasons.set('without an http or https address of podcast and episode', unnamed)
  for (const [reason, count] of reasons) records.push({ kind: 'skipped', what: 'episode_actions', reason, count })
  return records
}

function withUsableDevice(item: unknown): unknown {
  if (!isRecord(item)) return item
  const device = item['device']
  return typeof device === 'string' && device !== '' && !isDeviceId(device) ? { ...item, device: undefined } : item
}
