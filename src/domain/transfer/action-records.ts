import { isRecord } from '../../platform/unknown.ts'
import { isDeviceId } from '../accounts/identifiers.ts'
import { DomainError } from '../shared/errors.ts'
import { parseActionTimestamp } from '../shared/time.ts'
import { planActions } from '../sync/episode-actions.ts'
import { SITTING_MAX } from '../sync/history/plans.ts'
import type { EpisodeAction, Sitting } from '../sync/ports/episode-actions.ts'
import type { ImportRecord } from './records.ts'

/**
 * Records of episode actions as some server or file has them, at most `ITEMS_PER_RECORD`: what can be stored, by the
 * rules of uploads, and what cannot, with the reason. `now` (Unix seconds) dates the undated; `device` stands for
 * whatever the items say. An action is not lost for a device ID that cannot be one here.
 */
export function actionRecords(items: readonly unknown[], now: number, device?: string): ImportRecord[] {
  const { actions, rejected } = planActions(items.map(withUsableDevice), now, device, (action, item) => ({
    ...action,
    sitting: readSitting(item, action),
  }))
  const records: ImportRecord[] = actions.length > 0 ? [{ kind: 'actions', actions }] : []
  const reasons = new Map<string, number>()
  for (const { message } of rejected) reasons.set(message, (reasons.get(message) ?? 0) + 1)
  const unnamed = items.length - actions.length - rejected.length
  if (unnamed > 0) reasons.set('without an http or https address of podcast and episode', unnamed)
  for (const [reason, count] of reasons) records.push({ kind: 'skipped', what: 'episode_actions', reason, count })
  return records
}

/** What an archive of ours tells of a sitting (docs/protocol.md#D92); undefined for none, and for what cannot be one. */
function readSitting(item: unknown, { kind, at, position }: EpisodeAction): Sitting | undefined {
  const told = isRecord(item) ? item['sitting'] : undefined
  if (!isRecord(told) || typeof told['since'] !== 'string' || kind !== 'play' || position === undefined)
    return undefined
  const since = readTime(told['since'])
  const heardFrom = told['heard_from']
  if (since === undefined || since > at || at - since > SITTING_MAX) return undefined
  if (heardFrom === undefined) return { since }
  return typeof heardFrom === 'number' && Number.isSafeInteger(heardFrom) && heardFrom >= 0 && heardFrom <= position
    ? { since, heardFrom }
    : undefined
}

function readTime(text: string): number | undefined {
  try {
    return text === '' ? undefined : parseActionTimestamp(text, 0)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

function withUsableDevice(item: unknown): unknown {
  if (!isRecord(item)) return item
  const device = item['device']
  return typeof device === 'string' && device !== '' && !isDeviceId(device) ? { ...item, device: undefined } : item
}
