import {
  type DeviceNews,
  type EpisodeNews,
  type FailureNews,
  type SubscribedEpisode,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookEvent,
  type WebhookMessage,
  type WebhookStore,
} from '../../domain/outlets/ports.ts'
import { LONGEST_PAUSE } from '../../domain/outlets/webhooks.ts'
import { DomainError } from '../../domain/shared/errors.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import { Secret } from '../../platform/secret.ts'
import type { Database, Snapshot, WriteQueue } from '../engine.ts'
import { fromRow, type Row } from '../shared/rows.ts'
import { PODCAST_DETAILS, provisionalTitleOf } from '../sync/podcast-rows.ts'

interface WebhookRow extends Row<Omit<Webhook, 'events' | 'secret'>> {
  readonly secret: string
  readonly tellsEpisodes: number
  readonly tellsDevices: number
  readonly tellsFailures: number
}

interface NewsKey {
  readonly userId: UserId
  readonly username: string
  readonly event: WebhookEvent
}

type EpisodeRow = Row<Omit<SubscribedEpisode, 'isPrivate'>> & { readonly isPrivate: number }
type FailureRow = Omit<FailureNews, 'isPrivate'> & { readonly isPrivate: number }
type UrlGuard = [UserId, string]

const COLUMNS = `w.user_id AS userId, u.username, w.url, w.format, w.secret, w.tells_episodes AS tellsEpisodes,
  w.tells_devices AS tellsDevices, w.tells_failures AS tellsFailures, w.off_reason AS offReason, w.failures,
  w.next_attempt_at AS nextAttemptAt, w.delivered_at AS deliveredAt, w.failed_at AS failedAt, w.error, w.dropped`

const PODCAST_TITLE = `COALESCE(NULLIF(pd.title, ''), ${provisionalTitleOf('n.user_id')}, p.url)`
const OF_NEWS = 'n.user_id = +?1 AND n.event = +?2'

const EPISODE_COLUMNS = `ed.title, e.url, ed.website, ed.released, ed.duration, ${PODCAST_TITLE} AS podcastTitle, p.url AS podcastUrl,
  p.is_private AS isPrivate,
  (SELECT MIN(s.seq) FROM devices d
    CROSS JOIN subscriptions s ON s.device_id = d.id AND s.podcast_id = n.podcast_id AND s.subscribed = 1
    WHERE d.user_id = n.user_id) AS subscribedSeq`
const EPISODES_OF_NEWS = `FROM webhook_news n CROSS JOIN podcasts p ON p.id = n.podcast_id ${PODCAST_DETAILS}
  CROSS JOIN episodes e ON e.id = n.episode_id AND e.podcast_id = p.id
  CROSS JOIN episode_details ed ON ed.episode_id = e.id AND ed.is_listed = 1
  WHERE ${OF_NEWS}`

const AT_URL = 'user_id = ?1 AND url = ?2'

export function createWebhookStore(db: Database, snapshot: Snapshot, queue: WriteQueue): WebhookStore {
  const get = db.prepare<WebhookRow & { waiting: number }, [UserId]>(
    `SELECT ${COLUMNS}, (SELECT COUNT(*) FROM webhook_messages m WHERE m.user_id = w.user_id) AS waiting
       FROM webhooks w CROSS JOIN users u ON u.id = w.user_id WHERE w.user_id = +?1`,
  )
  const set = db.prepare<{ secret: string }, [UserId, string, string, string, number, number, number, number]>(
    `INSERT INTO webhooks (user_id, url, format, secret, tells_episodes, tells_devices, tells_failures)
     VALUES (?1, ?2, ?3, ?4, ?6, ?7, ?8)
     ON CONFLICT (user_id) DO UPDATE SET url = excluded.url, format = excluded.format, secret = CASE WHEN ?5 = 1 OR webhooks.off_reason = 'password_reset' THEN excluded.secret ELSE webhooks.secret END,
       tells_episodes = excluded.tells_episodes, tells_devices = excluded.tells_devices, tells_failures = excluded.tells_failures,
       off_reason = NULL, failures = 0, next_attempt_at = 0
     RETURNING secret`,
  )
  const removeUnwanted = db.prepare<undefined, [UserId, string]>(
    'DELETE FROM webhook_news WHERE user_id = ?1 AND event NOT IN (SELECT value FROM json_each(?2))',
  )
  const remove = db.prepare<undefined, [UserId]>('DELETE FROM webhooks WHERE user_id = ?1')
  // Dates in the future were written while the clock was wrong. Reads only the first and last event of each webhook,
  // since hundreds of users may have hundreds each.
  const selectReady = db.prepare<NewsKey, [number, number, number, number, string]>(
    `SELECT w.user_id AS userId, u.username, j.value AS event FROM webhooks w CROSS JOIN json_each(?5) j
      CROSS JOIN webhook_news first ON first.id = (SELECT MIN(n.id) FROM webhook_news n WHERE n.user_id = w.user_id AND n.event = j.value)
      CROSS JOIN webhook_news last ON last.id = (SELECT MAX(n.id) FROM webhook_news n WHERE n.user_id = w.user_id AND n.event = j.value)
      CROSS JOIN users u ON u.id = w.user_id
      WHERE last.at <= ?2 OR first.at <= ?3 OR last.at > ?1 OR first.at > ?1
      ORDER BY first.id LIMIT ?4`,
  )
  const last = db.prepare<{ id: number | null }, [UserId, WebhookEvent]>(
    `SELECT MAX(n.id) AS id FROM webhook_news n WHERE ${OF_NEWS}`,
  )
  const episodes = db.prepare<EpisodeRow, [UserId, WebhookEvent]>({
    sqlite: `SELECT ${EPISODE_COLUMNS} ${EPISODES_OF_NEWS} AND subscribedSeq IS NOT NULL
              GROUP BY e.id ORDER BY ed.released DESC, n.id DESC`,
    postgres: `SELECT title, url, website, released, duration, podcastTitle, podcastUrl, isPrivate, subscribedSeq
                 FROM (SELECT DISTINCT ON (e.id) ${EPISODE_COLUMNS}, n.id ${EPISODES_OF_NEWS} ORDER BY e.id, n.id) news
                WHERE subscribedSeq IS NOT NULL ORDER BY released DESC NULLS LAST, id DESC`,
  })
  const devices = db.prepare<DeviceNews, [UserId, WebhookEvent]>(
    `SELECT d.uid, d.caption, d.type FROM webhook_news n CROSS JOIN devices d ON d.user_id = n.user_id AND d.uid = n.device
      WHERE ${OF_NEWS} GROUP BY d.id ORDER BY d.id`,
  )
  const failingBy = (columns: string) =>
    `SELECT ${PODCAST_TITLE} AS podcastTitle, p.url AS podcastUrl, p.is_private AS isPrivate, p.error_reason AS reason,
            p.failing_since AS since
       FROM webhook_news n CROSS JOIN listeners l ON l.user_id = n.user_id AND l.podcast_id = n.podcast_id AND l.devices > 0
      CROSS JOIN podcasts p ON p.id = n.podcast_id AND p.failing_since IS NOT NULL ${PODCAST_DETAILS}
      WHERE ${OF_NEWS} GROUP BY ${columns} ORDER BY p.failing_since, p.id`
  const failing = db.prepare<FailureRow, [UserId, WebhookEvent]>({
    sqlite: failingBy('p.id'),
    postgres: failingBy('p.id, pd.title, n.user_id'),
  })
  const removeNews = db.prepare<undefined, [UserId, WebhookEvent, number]>(
    'DELETE FROM webhook_news WHERE user_id = ?1 AND event = ?2 AND id <= ?3',
  )
  const isThere = db.prepare<{ one: number }, [UserId]>('SELECT 1 AS one FROM webhooks WHERE user_id = ?1')
  const add = db.prepare<undefined, [UserId, number, string]>(
    'INSERT INTO webhook_messages (user_id, created_at, content) VALUES (?1, ?2, ?3)',
  )
  const dropBeyond = db.prepare<undefined, [UserId, number]>(
    `DELETE FROM webhook_messages WHERE id IN
       (SELECT id FROM webhook_messages WHERE user_id = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2)`,
  )
  const countDropped = db.prepare<undefined, [UserId, number]>(
    'UPDATE webhooks SET dropped = dropped + ?2 WHERE user_id = ?1',
  )
  const selectDue = db.prepare<WebhookRow, [number, number]>(
    `SELECT ${COLUMNS} FROM webhooks w CROSS JOIN users u ON u.id = w.user_id AND u.state = 'active'
      WHERE w.off_reason IS NULL AND (w.next_attempt_at <= ?1 OR w.next_attempt_at > ?1 + ${LONGEST_PAUSE})
        AND EXISTS (SELECT 1 FROM webhook_messages m WHERE m.user_id = w.user_id)
      ORDER BY w.next_attempt_at, w.user_id LIMIT ?2`,
  )
  const messages = db.prepare<{ row: number; content: string }, [UserId, number]>(
    'SELECT id AS row, content FROM webhook_messages WHERE user_id = ?1 ORDER BY id LIMIT ?2',
  )
  const removeMessage = db.prepare<undefined, [number]>('DELETE FROM webhook_messages WHERE id = ?1')
  const removeMessages = db.prepare<undefined, [UserId]>('DELETE FROM webhook_messages WHERE user_id = ?1')
  const removeAllNews = db.prepare<undefined, [UserId]>('DELETE FROM webhook_news WHERE user_id = ?1')
  const succeed = db.prepare<undefined, [...UrlGuard, number]>(
    `UPDATE webhooks SET failures = 0, next_attempt_at = 0, delivered_at = ?3 WHERE ${AT_URL}`,
  )
  const refuse = db.prepare<undefined, [...UrlGuard, number, string]>(
    `UPDATE webhooks SET failed_at = ?3, error = ?4 WHERE ${AT_URL}`,
  )
  const fail = db.prepare<undefined, [...UrlGuard, number, string, number]>(
    `UPDATE webhooks SET failures = failures + 1, failed_at = ?3, error = ?4, next_attempt_at = ?5 WHERE ${AT_URL}`,
  )
  const switchOff = db.prepare<undefined, [...UrlGuard, number, string, string]>(
    `UPDATE webhooks SET off_reason = ?5, failed_at = ?3, error = ?4 WHERE ${AT_URL}`,
  )
  const count = db.prepare<{ waiting: number }, []>('SELECT COUNT(*) AS waiting FROM webhook_messages')
  const expired = db.prepare<{ row: number; userId: UserId }, [number, number]>(
    'SELECT id AS row, user_id AS userId FROM webhook_messages WHERE created_at <= ?1 ORDER BY created_at, id LIMIT ?2',
  )

  function giveUp(userId: UserId, count: number): void {
    if (count > 0) countDropped.run(userId, count)
  }

  return {
    get: (userId) =>
      snapshot.read(() => {
        const row = get.get(userId)
        return row ? { ...toWebhook(row), waiting: row.waiting } : undefined
      }),

    set: (userId, { url, format, events }, secret, replacesSecret) =>
      queue.run(userId, () => {
        const plainSecret = secret.reveal()
        const flagOf = (event: WebhookEvent) => Number(events.includes(event))
        const flags = [flagOf('new_episode'), flagOf('new_device'), flagOf('feed_failing')] as const
        const stored = set.get(userId, url, format, plainSecret, Number(replacesSecret), ...flags)
        removeUnwanted.run(userId, JSON.stringify(events))
        return stored?.secret === plainSecret
      }),

    remove: (userId) =>
      queue.run(userId, () => {
        if (remove.run(userId).changes === 0) throw new DomainError('not_found', 'the account has no webhook')
      }),

    listReady: ({ at, quietSince, waitingSince }, limit) =>
      snapshot.read(() => selectReady.all(at, quietSince, waitingSince, limit, JSON.stringify(WEBHOOK_EVENTS))),

    news: (userId, event) =>
      snapshot.read(() => {
        const onlyFor = <T>(only: WebhookEvent, read: () => T[]): T[] => (event === only ? read() : [])
        return {
          lastId: last.get(userId, event)?.id ?? 0,
          episodes: onlyFor('new_episode', () => episodes.all(userId, event).map(toEpisode)),
          devices: onlyFor('new_device', () => devices.all(userId, event)),
          podcasts: onlyFor('feed_failing', () => failing.all(userId, event).map(toFailure)),
        }
      }),

    enqueue: ({ userId, event, lastId }, message, max) =>
      queue.run(userId, () => {
        removeNews.run(userId, event, lastId)
        // The user may have removed the webhook meanwhile.
        if (!message || isThere.get(userId) === null) return
        add.run(userId, message.createdAt, JSON.stringify(message))
        giveUp(userId, dropBeyond.run(userId, max).changes)
      }),

    listDue: (at, limit) => snapshot.read(() => selectDue.all(at, limit).map(toWebhook)),

    messages: (userId, limit) =>
      snapshot.read(() =>
        messages
          .all(userId, limit)
          .map(({ row, content }) => ({ row, message: JSON.parse(content) as WebhookMessage })),
      ),

    delivered: ({ userId, url }, row, at) =>
      queue.run(userId, () => {
        removeMessage.run(row)
        succeed.run(userId, url, at)
      }),

    refused: ({ userId, url }, row, { at, error }) =>
      queue.run(userId, () => {
        giveUp(userId, removeMessage.run(row).changes)
        refuse.run(userId, url, at, error)
      }),

    failed: ({ userId, url }, { at, nextAttemptAt, error }) =>
      queue.run(userId, () => void fail.run(userId, url, at, error, nextAttemptAt)),

    switchOff: ({ userId, url }, reason, { at, error }) =>
      queue.run(userId, () => {
        if (switchOff.run(userId, url, at, error, reason).changes === 0) return
        removeAllNews.run(userId)
        giveUp(userId, removeMessages.run(userId).changes)
      }),

    waiting: () => snapshot.read(() => count.get()?.waiting ?? 0),

    expire: (madeBefore, limit) =>
      queue.run('server', () => {
        const rows = expired.all(madeBefore, limit)
        for (const { row, userId } of rows) giveUp(userId, removeMessage.run(row).changes)
        return rows.length
      }),
  }
}

function toWebhook({ secret, tellsEpisodes, tellsDevices, tellsFailures, ...row }: WebhookRow): Webhook {
  const choices: readonly [WebhookEvent, number][] = [
    ['new_episode', tellsEpisodes],
    ['new_device', tellsDevices],
    ['feed_failing', tellsFailures],
  ]
  const events = choices.filter(([, isChosen]) => isChosen === 1).map(([event]) => event)
  return { ...fromRow<Omit<Webhook, 'events' | 'secret'>>(row), events, secret: new Secret(secret) }
}

function toEpisode(row: EpisodeRow): SubscribedEpisode {
  return fromRow<SubscribedEpisode>({ ...row, isPrivate: row.isPrivate === 1 } satisfies Row<EpisodeNews>)
}

function toFailure(row: FailureRow): FailureNews {
  return { ...row, isPrivate: row.isPrivate === 1 }
}
