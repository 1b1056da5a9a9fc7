import type { Database } from 'bun:sqlite'

/*
 * The part of migration 0013_actions that SQL cannot do: it copies the stored actions into the new layout, in one pass
 * by the index of upload times. Like the migration it belongs to, it never changes; what it knows of the layout is
 * written out here for that reason.
 */

interface OldRow {
  readonly userId: number
  readonly episodeId: number
  readonly kind: number
  readonly at: number
  readonly seq: number
  readonly device: string
  readonly started: number
  readonly position: number
  readonly total: number
  readonly guid: string | null
}

interface Episode {
  readonly id: number
  guid: string | null
  lastId: number
  stateId: number
  kind: number
  at: number
}

type Factors = Record<'episode' | 'device' | 'kind' | 'started' | 'position' | 'total', number>

/** New numbers of the kinds, by the old ones: play and new, which tell the state of an episode, come first. */
const NEW_KINDS = [1, 2, 0, 3, 4]
const STATE_KINDS = 2
const PRIME = 2_147_483_647
const UNKNOWN = 4_294_967_295
const TOLD_EVERY = 250_000

/** `tell` gets the rows copied so far and all rows. */
export function convertActions(db: Database, tell: (done: number, all: number) => void): void {
  const count = db.query<{ count: number }, []>('SELECT COUNT(*) AS count FROM old_actions').get()?.count ?? 0
  const factors = db.query<Factors, []>('SELECT * FROM action_hash').get()
  if (factors === null) throw new Error('the table action_hash has no row')
  const rows = db.prepare<OldRow, []>(
    `SELECT user_id AS userId, episode_id AS episodeId, kind, at, seq, device, started, position, total, guid
       FROM old_actions INDEXED BY episode_actions_user_seq ORDER BY user_id, seq, id`,
  )
  const insertDevice = db.prepare<undefined, [number, string]>(
    'INSERT INTO action_devices (user_id, uid) VALUES (?1, ?2)',
  )
  const insertUpload = db.prepare<undefined, [number, number, number, number]>(
    'INSERT INTO action_uploads (device_id, seq, first_id, count) VALUES (?1, ?2, ?3, ?4)',
  )
  const insertEpisode = db.prepare<undefined, [number, number, number, string | null, number, number]>(
    `INSERT INTO user_episodes (id, user_id, episode_id, guid, last_action_id, state_action_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  )
  const insertAction = db.prepare<undefined, (number | null)[]>(
    `INSERT INTO episode_actions
       (id, user_id, user_episode_id, device_id, previous_id, kind, at, hash, started, position, total)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
  )

  let userId = 0
  let episodes = new Map<number, Episode>()
  let devices = new Map<string, number>()
  let upload = { deviceId: 0, seq: 0, firstId: 0, count: 0 }
  let actionId = 0
  let episodeCount = 0

  function finishUpload(): void {
    const { deviceId, seq, firstId } = upload
    if (upload.count > 0) insertUpload.run(deviceId, seq, firstId, upload.count)
  }

  function finishUser(): void {
    for (const [episodeId, { id, guid, lastId, stateId }] of episodes)
      insertEpisode.run(id, userId, episodeId, guid, lastId, stateId)
    episodes = new Map()
    devices = new Map()
  }

  for (const row of rows.iterate()) {
    if (row.userId !== userId) {
      finishUser()
      userId = row.userId
    }
    actionId++
    const deviceId = devices.get(row.device) ?? Number(insertDevice.run(userId, row.device).lastInsertRowid)
    devices.set(row.device, deviceId)
    if (deviceId === upload.deviceId && row.seq === upload.seq) upload.count++
    else {
      finishUpload()
      upload = { deviceId, seq: row.seq, firstId: actionId, count: 1 }
    }
    const { at } = row
    const kind = NEW_KINDS[row.kind] ?? row.kind
    let episode = episodes.get(row.episodeId)
    const previousId = episode?.lastId ?? null
    if (!episode) {
      episodeCount++
      episode = { id: episodeCount, guid: null, lastId: 0, stateId: actionId, kind, at }
      episodes.set(row.episodeId, episode)
    }
    episode.lastId = actionId
    episode.guid = row.guid ?? episode.guid
    const isState = kind < STATE_KINDS
    if (isState === episode.kind < STATE_KINDS ? at >= episode.at : isState) {
      episode.stateId = actionId
      episode.kind = kind
      episode.at = at
    }
    const started = known(row.started)
    const position = known(row.position)
    const total = known(row.total)
    const hash =
      (part(factors.episode, episode.id) +
        part(factors.device, deviceId) +
        part(factors.kind, kind) +
        part(factors.started, started) +
        part(factors.position, position) +
        part(factors.total, total)) %
      PRIME
    insertAction.run(
      ...[actionId, userId, episode.id, deviceId, previousId, kind, at, hash & 0xffff],
      ...[started, position, total],
    )
    if (actionId % TOLD_EVERY === 0) tell(actionId, count)
  }
  finishUpload()
  finishUser()
  // Afterwards, since sorting many rows is faster than putting each in its place.
  db.run('CREATE INDEX episode_actions_time ON episode_actions (user_id, at, hash)')
  db.run('CREATE UNIQUE INDEX user_episodes_user_episode ON user_episodes (user_id, episode_id)')
  db.run('CREATE INDEX user_episodes_episode ON user_episodes (episode_id)')
  db.run('DROP TABLE old_actions')
}

function part(factor: number, value: number | null): number {
  return (factor * ((value ?? UNKNOWN) % (UNKNOWN + 1))) % PRIME
}

function known(value: number): number | null {
  return value < 0 ? null : value
}
