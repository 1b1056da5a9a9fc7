import type { EpisodeFile, EpisodeKey, PrivateFeedStore } from '../../domain/outlets/ports.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import { IS_VISIBLE } from '../directory/listed-episodes.ts'
import type { Database, Snapshot } from '../engine.ts'
import { isSharedGuid } from '../sync/actions/joined-episodes.ts'

interface FileRow {
  readonly key: number
  readonly fingerprint: string
  readonly notes: string
  readonly mimeType: string
  readonly size: number | null
}

const DETAILS = `FROM json_each(?2) j CROSS JOIN podcasts p ON p.url = j.value ->> 0
  CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 1
  CROSS JOIN episode_details ed ON ed.episode_id = e.id AND ${IS_VISIBLE}`

export function createPrivateFeedStore(db: Database, snapshot: Snapshot): PrivateFeedStore {
  // Without the long notes, since apps ask every few minutes and usually nothing is new.
  const fingerprints = db.prepare<Pick<FileRow, 'key' | 'fingerprint'>, [UserId, string]>(
    `SELECT j.key, ed.fingerprint ${DETAILS}`,
  )
  const files = db.prepare<FileRow, [UserId, string]>(
    `SELECT j.key, ed.fingerprint, ed.description AS notes, ed.mime_type AS mimeType, ed.size ${DETAILS}`,
  )

  function alignRows<Row extends { readonly key: number }>(episodes: readonly EpisodeKey[], rows: readonly Row[]) {
    const byKey = new Map(rows.map((row) => [row.key, row]))
    return episodes.map((_episode, key) => byKey.get(key))
  }

  const keysOf = (episodes: readonly EpisodeKey[]) =>
    JSON.stringify(episodes.map(({ podcast, episode }) => [podcast, episode]))

  return {
    fingerprints: (userId, episodes) =>
      snapshot.read(() =>
        alignRows(episodes, fingerprints.all(userId, keysOf(episodes))).map((row) => row?.fingerprint),
      ),

    files: (userId, episodes) =>
      snapshot.read(() => alignRows(episodes, files.all(userId, keysOf(episodes))).map((row) => row && toFile(row))),
  }
}

function toFile({ notes, mimeType, size, fingerprint }: FileRow): EpisodeFile {
  return { notes, mimeType, size: size ?? undefined, isGuidShared: isSharedGuid(fingerprint) }
}
