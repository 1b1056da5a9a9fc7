import { type Clock, nextTurn } from '../../../platform/clock.ts'
import { parseDeviceId } from '../../accounts/identifiers.ts'
import { unlessUnavailable } from '../../shared/errors.ts'
import type { UserId } from '../../shared/ids.ts'
import { timestampOf } from '../cursors.ts'
import type { ByApp } from '../ports/written.ts'
import type { ListChange, ListChangeStore } from './ports.ts'
import { earliestTime, KEPT_SECONDS } from './restoring.ts'

const PAGE = 50
const FORGOTTEN_AT_ONCE = 500
const USERS_AT_ONCE = 500

export interface DescribedListChange extends ListChange {
  readonly text: string
  readonly canUndo: boolean
}

/** History of a user's lists, and how to undo changes (docs/protocol.md#undo). */
export function createListHistory(store: ListChangeStore, clock: Clock) {
  const clean = (): Promise<void> => unlessUnavailable(forgetOld(store, clock.seconds() - KEPT_SECONDS))

  return {
    async list(
      userId: UserId,
      before: number | undefined,
    ): Promise<{ readonly items: DescribedListChange[]; readonly next: number | undefined }> {
      const { items, hasMore, start } = await store.list(userId, { before, limit: PAGE })
      const now = clock.seconds()
      const earliest = earliestTime(start, now)
      const recent = items.filter(({ at }) => at >= now - KEPT_SECONDS)
      return {
        items: recent.map((item) => ({ ...item, text: describeChange(item), canUndo: canUndo(item, earliest) })),
        next: hasMore && recent.length === items.length ? items.at(-1)?.id : undefined,
      }
    },

    /** Restores a device and its group, or all. Throws `validation_failed`, `unknown_device`, `quota_exceeded`. */
    async restore(
      userId: UserId,
      { device, time }: { readonly device: string | null; readonly time: number },
      { app }: ByApp = {},
    ): Promise<{ readonly devices: string[]; readonly timestamp: number }> {
      const uid = device === null ? undefined : parseDeviceId(device)
      const restored = await store.restore(userId, { uid, time }, { at: clock.seconds(), app })
      return { devices: restored.devices, timestamp: timestampOf(restored.clock) }
    },

    clean,

    jobs: [{ name: 'changes of lists', pattern: '37 * * * *', run: clean }],
  }
}

async function forgetOld(store: ListChangeStore, before: number): Promise<void> {
  let last: UserId | 0 = 0
  for (;;) {
    const users = await store.oldest(last, USERS_AT_ONCE)
    for (const { userId, at } of users) {
      if (at >= before) continue
      while ((await store.forget(userId, before, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE);
    }
    last = users.at(-1)?.userId ?? last
    if (users.length < USERS_AT_ONCE) return
    await nextTurn()
  }
}

/** False for `sync`, since the devices share a list until one leaves, and for a removed device, which has no list. */
function canUndo({ kind, at, devicesSince }: ListChange, earliest: number): boolean {
  if (kind === 'sync' || kind === 'device' || devicesSince === undefined) return false
  return at > earliest && at > devicesSince
}

export function describeChange({
  kind,
  device,
  added,
  removed,
}: Pick<ListChange, 'kind' | 'device' | 'added' | 'removed'>): string {
  const who = device?.caption ?? 'A device that is gone'
  const counts = countsOf(added.count, removed.count)
  switch (kind) {
    case 'upload':
    case 'replace':
      return `${who} ${counts}`
    case 'sync':
      return `Devices were put in sync, which ${counts}`
    case 'join':
      return device ? `${who} joined the other devices, which ${counts}` : `Devices joined the others, which ${counts}`
    case 'exchange':
      return `${podcasts(Math.max(added.count, removed.count))} got a new address`
    case 'import':
      return `An import ${counts}${device ? ` on ${who}` : ''}`
    case 'restore':
      return device ? `The list of ${who} was restored, which ${counts}` : `All lists were restored, which ${counts}`
    case 'device':
      return `${who} was deleted with ${podcasts(removed.count)}`
  }
}

function countsOf(added: number, removed: number): string {
  if (removed === 0) return `added ${podcasts(added)}`
  if (added === 0) return `removed ${podcasts(removed)}`
  return `added ${podcasts(added)} and removed ${podcasts(removed)}`
}

function podcasts(count: number): string {
  return count === 1 ? '1 podcast' : `${count} podcasts`
}
