import type { UserId } from '../../../domain/shared/ids.ts'
import { nextClock, timestampOf } from '../../../domain/sync/cursors.ts'
import type {
  ActionList,
  ActionQuery,
  EpisodeAction,
  EpisodeActionStore,
  WrittenActions,
} from '../../../domain/sync/ports/episode-actions.ts'
import type { StoreParts } from '../../parts.ts'
import type { UnionTarget } from '../group-union.ts'
import { ChangeRecord } from '../list-changes/list-changes.ts'
import { createActionReader } from './episode-action-reader.ts'

interface Context {
  readonly at: number
  readonly seenUntil: number | undefined
  readonly isHistory: boolean
}

export function createEpisodeActionStore({
  db,
  snapshot,
  queue,
  sync,
  books,
  autoSync,
  listChanges,
}: StoreParts): EpisodeActionStore {
  const reader = createActionReader(db, snapshot)
  const hasDevice = db.prepare<undefined, [UserId, string]>('SELECT 1 FROM devices WHERE user_id = ?1 AND uid = ?2')
  const uploadedByOthers = db.prepare<undefined, [UserId, number, number]>(
    `SELECT 1 FROM action_devices d CROSS JOIN action_uploads u ON u.device_id = d.id AND u.seq >= +?2
      WHERE d.user_id = +?1 AND u.seq <> +?3 LIMIT 1`,
  )

  /** Adds new devices to the common sync group, if the user has one, and returns the number of changes. */
  function join(target: Omit<UnionTarget, 'changes'>, createdIds: readonly number[], at: number): number {
    const { userId } = target
    const changes = new ChangeRecord()
    const joined = autoSync.join({ ...target, changes })
    const deviceId = createdIds.length === 1 ? createdIds[0] : undefined
    listChanges.write({ userId, deviceId, kind: 'join', at }, changes)
    return joined
  }

  /** Stores one part of an upload. Belongs inside a job. */
  function apply(
    userId: UserId,
    actions: readonly EpisodeAction[],
    { at, seenUntil, isHistory }: Context,
  ): WrittenActions {
    const uids = isHistory ? [] : [...new Set(actions.flatMap(({ device }) => device ?? []))]
    const [clock, areDevicesKnown, add] = db.together([
      () => sync.clockOf(userId),
      () => uids.every((uid) => hasDevice.get(userId, uid) !== null),
      () => books.openUpload(userId, actions, at),
    ])
    const seq = nextClock(clock, at)
    const added = add(seq, isHistory)
    const createdIds = areDevicesKnown ? [] : sync.createDevices(userId, uids, at)
    const joined = createdIds.length > 0 ? join({ userId, seq }, createdIds, at) : 0
    if (added + joined > 0) sync.setClockAndCount(userId, seq, added)
    return {
      added,
      clock: added > 0 ? seq : clock,
      missed: seenUntil !== undefined && uploadedByOthers.get(userId, seenUntil, seq) !== null,
    }
  }

  return {
    async list(userId: UserId, query: ActionQuery): Promise<ActionList> {
      const { clock, chunks, bounds } = await snapshot.read(() => {
        const short = reader.readShort(userId, query)
        return {
          clock: sync.clockOf(userId),
          chunks: short,
          bounds: short ? undefined : reader.boundsOf(userId, query),
        }
      })
      return { clock, chunks: chunks ?? (bounds ? await reader.readLong(userId, query, bounds) : []) }
    },

    async applyUpload(userId, actions, { at, seenUntil, isHistory = false }) {
      const written = { added: 0, clock: 0, missed: false }
      let since = seenUntil
      for (const part of parts(actions)) {
        const { added, clock, missed } = await queue.run(userId, () =>
          apply(userId, part, { at, seenUntil: since, isHistory }),
        )
        written.added += added
        written.clock = clock
        written.missed ||= missed
        // Earlier changes have been checked, and some of them are from this upload.
        if (since !== undefined) since = timestampOf(clock)
      }
      return written
    },
  }
}

/** Actions per transaction, which takes 0.1 seconds, or a second on a small computer. */
const ACTIONS_PER_TRANSACTION = 5000

/** Yields at least one part, since an empty upload needs an answer too. */
function* parts(actions: Iterable<EpisodeAction>): Generator<readonly EpisodeAction[]> {
  let part: EpisodeAction[] = []
  for (const action of actions) {
    if (part.length === ACTIONS_PER_TRANSACTION) {
      yield part
      part = []
    }
    part.push(action)
  }
  yield part
}
