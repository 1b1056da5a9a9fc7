import type { DeviceOfPodcast, MyPodcastsStore } from '../../domain/directory/ports/my-podcasts.ts'
import type { OwnPodcast } from '../../domain/directory/ports/podcasts.ts'
import type { FeedTrace } from '../../domain/feeds/ports.ts'
import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import { truncateHtml } from '../../domain/shared/text.ts'
import type { StoreParts } from '../parts.ts'
import { fromRow, type Row } from '../shared/rows.ts'
import { orderedBy } from '../shared/sql.ts'
import { PODCAST_DETAILS, type PodcastRow, podcastColumnsFor, toPodcastObject } from '../sync/podcast-rows.ts'
import { IS_UNDECIDED, preparePrivacy } from './privacy.ts'

interface OwnRow extends Row<FeedTrace> {
  readonly url: string
  readonly added: number | null
  readonly newest: number | null
  readonly id: PodcastId
  readonly isStoredPrivate: number
  readonly isUndecided: number
}

type ListRow = OwnRow & PodcastRow

interface Decided {
  readonly isPrivate: boolean
}
type DeviceRow = Omit<DeviceOfPodcast, 'isSubscribed'> & { readonly isSubscribed: number }

const BEGINNING = 400

/** Reads one character more than is shown, to detect a longer description. */
const LISTED_COLUMNS = podcastColumnsFor('+?1').replace(
  'pd.description',
  `substr(pd.description, 1, ${BEGINNING + 1}) AS description`,
)

interface HeldRow {
  readonly device: number
  readonly podcast: PodcastId
  readonly seq: number
}

interface Holding {
  added: number
  readonly devices: string[]
}

const OWN_COLUMNS = `p.is_private AS isStoredPrivate, p.is_private = 1 AND ${IS_UNDECIDED} AS isUndecided, p.checked_at AS checkedAt, p.succeeded_at AS succeededAt,
  p.failing_since AS failingSince, p.error_reason AS reason,
  (SELECT MAX(e.released) FROM episode_details e WHERE e.podcast_id = p.id) AS newest`

const IS_NEW = 'p.checked_at IS NULL AND p.failing_since IS NULL'

export function createMyPodcastsStore({ db, snapshot, addresses }: StoreParts): MyPodcastsStore {
  const listOf = (condition: string) =>
    db.prepare<ListRow, [UserId]>(
      `SELECT p.id, ${LISTED_COLUMNS}, ${OWN_COLUMNS}, NULL AS added
         FROM listeners l JOIN podcasts p ON p.id = l.podcast_id ${PODCAST_DETAILS}
        WHERE l.user_id = +?1 AND l.devices > 0 AND ${condition} ORDER BY p.url`,
    )
  const list = listOf('true')
  const listNew = listOf(IS_NEW)
  // One row per device and podcast, since grouping them in SQLite would sort all rows.
  const selectHeld = db.prepare<HeldRow, [UserId]>(
    orderedBy(
      'd.uid, s.podcast_id',
      `SELECT s.device_id AS device, s.podcast_id AS podcast, s.seq
         FROM devices d CROSS JOIN subscriptions s ON s.device_id = d.id WHERE d.user_id = +?1 AND s.subscribed = 1`,
    ),
  )
  const names = db.prepare<{ readonly id: number; readonly uid: string }, [UserId]>(
    'SELECT id, uid FROM devices WHERE user_id = +?1 ORDER BY id',
  )
  const find = db.prepare<OwnRow, [UserId, string]>(
    `SELECT p.id, p.url, ${OWN_COLUMNS},
            (SELECT MIN(s.seq) FROM devices d CROSS JOIN subscriptions s ON s.device_id = d.id AND s.podcast_id = p.id
              WHERE d.user_id = l.user_id AND s.subscribed = 1) AS added
       FROM podcasts p JOIN listeners l ON l.podcast_id = p.id AND l.user_id = +?1 WHERE p.url = +?2`,
  )
  const devices = db.prepare<DeviceRow, [UserId, PodcastId]>(
    `SELECT d.uid, d.caption, d.type,
            IFNULL(s.subscribed, 0) = 1 OR EXISTS (SELECT 1 FROM address_relations r
              CROSS JOIN subscriptions o ON o.device_id = d.id AND o.podcast_id = r.other_id AND o.subscribed = 1
              WHERE r.podcast_id = +?2) AS isSubscribed
       FROM devices d LEFT JOIN subscriptions s ON s.device_id = d.id AND s.podcast_id = +?2
      WHERE d.user_id = +?1 ORDER BY d.id`,
  )

  const decide = preparePrivacy(db)

  function withPrivacy<Row extends OwnRow>(row: Row): Row & Decided {
    return { ...row, isPrivate: row.isUndecided === 1 ? decide(row.id) : row.isStoredPrivate === 1 }
  }

  function readHoldings(userId: UserId): Map<PodcastId, Holding> {
    const all = selectHeld.all(userId).sort((a, b) => a.seq - b.seq)
    const listed = addresses.listedAs([...new Set(all.map(({ podcast }) => podcast))])
    const found = new Map<PodcastId, Holding>()
    const rows = Map.groupBy(all, ({ device }) => device)
    for (const { id, uid } of names.all(userId))
      for (const { podcast, seq } of rows.get(id) ?? []) addHolding(found, listed.get(podcast) ?? podcast, seq, uid)
    return found
  }

  return {
    list: (userId, onlyNew = false) =>
      snapshot.read(() => {
        const rows = (onlyNew ? listNew : list).all(userId)
        if (rows.length === 0) return []
        const found = readHoldings(userId)
        return rows
          .flatMap((row) => {
            const holding = found.get(row.id)
            return holding ? [toSubscribedPodcast(withPrivacy(row), holding)] : []
          })
          .sort((a, b) => a.addedSeq - b.addedSeq)
      }),

    find: (userId, url) =>
      snapshot.read(() => {
        const row = find.get(userId, url)
        if (!row) return undefined
        const all = devices.all(userId, row.id)
        return {
          ...toOwnPodcast(withPrivacy(row)),
          devices: all.map((device) => ({ ...device, isSubscribed: device.isSubscribed === 1 })),
        }
      }),
  }
}

function addHolding(found: Map<PodcastId, Holding>, podcast: PodcastId, seq: number, uid = ''): void {
  const holding = found.get(podcast)
  if (!holding) found.set(podcast, { added: seq, devices: [uid] })
  else {
    // A device may have the podcast twice.
    if (holding.devices.at(-1) !== uid) holding.devices.push(uid)
    holding.added = Math.min(holding.added, seq)
  }
}

function toSubscribedPodcast(row: ListRow & Decided, { added, devices }: Holding) {
  return {
    ...toOwnPodcast(row),
    addedSeq: added,
    podcast: toPodcastObject({ ...row, description: row.description && truncateHtml(row.description, BEGINNING) }),
    devices,
  }
}

function toOwnPodcast(row: OwnRow & Decided): OwnPodcast {
  const { url, added, newest, isPrivate, checkedAt, succeededAt, failingSince, reason } = row
  return {
    url,
    addedSeq: added ?? undefined,
    newestRelease: newest ?? undefined,
    isPrivate,
    trace: fromRow<FeedTrace>({ checkedAt, succeededAt, failingSince, reason }),
  }
}
