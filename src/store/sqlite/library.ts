import type { Database } from 'bun:sqlite'
import { beginningOf } from '../../domain/beginning.ts'
import type { FeedFailureReason } from '../../domain/feed-ports.ts'
import type { PodcastId, UserId } from '../../domain/ids.ts'
import type { DeviceOfPodcast, LibraryStore, OwnPodcast } from '../../domain/library-ports.ts'
import { PODCAST_COLUMNS, PODCAST_DETAILS, type PodcastRow, toPodcastObject } from './podcasts.ts'
import type { Snapshot } from './snapshot.ts'

interface OwnRow {
  readonly url: string
  readonly added: number | null
  readonly newest: number | null
  readonly isPrivate: number
  readonly checkedAt: number | null
  readonly succeededAt: number | null
  readonly failingSince: number | null
  readonly reason: FeedFailureReason | null
}

type ListRow = OwnRow & PodcastRow & { readonly devices: string }
type DeviceRow = Omit<DeviceOfPodcast, 'isSubscribed'> & { readonly isSubscribed: number }

/** Of descriptions in a list of a thousand podcasts, where nobody reads them to their ends. */
const BEGINNING = 400

const OWN_COLUMNS = `p.is_private AS isPrivate, p.checked_at AS checkedAt, p.succeeded_at AS succeededAt,
  p.failing_since AS failingSince, p.error_reason AS reason,
  (SELECT MAX(e.released) FROM episode_details e WHERE e.podcast_id = p.id) AS newest`

export function createLibraryStore(db: Database, snapshot: Snapshot): LibraryStore {
  const list = db.prepare<ListRow, [UserId]>(
    `SELECT ${PODCAST_COLUMNS}, ${OWN_COLUMNS}, held.added, held.devices
       FROM (SELECT s.podcast_id, MIN(s.seq) AS added, json_group_array(d.uid ORDER BY d.id) AS devices
               FROM devices d JOIN subscriptions s ON s.device_id = d.id
              WHERE d.user_id = +?1 AND s.subscribed = 1 GROUP BY s.podcast_id) held
       JOIN podcasts p ON p.id = held.podcast_id ${PODCAST_DETAILS}
      ORDER BY held.added, p.url`,
  )
  const find = db.prepare<OwnRow & { readonly id: PodcastId }, [UserId, string]>(
    `SELECT p.id, p.url, ${OWN_COLUMNS},
            (SELECT MIN(s.seq) FROM devices d CROSS JOIN subscriptions s ON s.device_id = d.id AND s.podcast_id = p.id
              WHERE d.user_id = l.user_id AND s.subscribed = 1) AS added
       FROM podcasts p JOIN listeners l ON l.podcast_id = p.id AND l.user_id = +?1 WHERE p.url = +?2`,
  )
  const devices = db.prepare<DeviceRow, [UserId, PodcastId]>(
    `SELECT d.uid, d.caption, d.type, IFNULL(s.subscribed, 0) AS isSubscribed
       FROM devices d LEFT JOIN subscriptions s ON s.device_id = d.id AND s.podcast_id = +?2
      WHERE d.user_id = +?1 ORDER BY d.id`,
  )

  return {
    async list(userId) {
      snapshot.use()
      return list.all(userId).map((row) => ({
        ...toOwnPodcast(row),
        podcast: toPodcastObject({ ...row, description: row.description && beginningOf(row.description, BEGINNING) }),
        devices: JSON.parse(row.devices),
      }))
    },

    async find(userId, url) {
      snapshot.use()
      const row = find.get(userId, url)
      if (!row) return undefined
      const all = devices.all(userId, row.id)
      return {
        ...toOwnPodcast(row),
        devices: all.map((device) => ({ ...device, isSubscribed: device.isSubscribed === 1 })),
      }
    },
  }
}

function toOwnPodcast({
  url,
  added,
  newest,
  isPrivate,
  checkedAt,
  succeededAt,
  failingSince,
  reason,
}: OwnRow): OwnPodcast {
  return {
    url,
    addedSeq: added ?? undefined,
    newestRelease: newest ?? undefined,
    isPrivate: isPrivate === 1,
    trace: {
      checkedAt: checkedAt ?? undefined,
      succeededAt: succeededAt ?? undefined,
      failingSince: failingSince ?? undefined,
      reason: reason ?? undefined,
    },
  }
}
