import type { Inheritance } from '../../domain/directory/ports/upgrades.ts'
import { isSecretUrl } from '../../domain/directory/privacy.ts'
import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import type { Database } from '../engine.ts'
import { prepareDirectoryChanges } from '../shared/directory-changes.ts'

type HeirRow = Omit<Heir, 'isPrivate'>

interface Heir {
  readonly isPrivate: boolean
  readonly id: PodcastId
  readonly isSecret: number | null
  readonly isFetched: number
  readonly isBlocked: number | null
  readonly logoUrl: string | null
  readonly isShared: number
}

/** SQL: a fingerprint without its content part, so that the first fetch shows which episodes the feed really has. */
const UNPROVEN = `substr(d.fingerprint, 1, instr(d.fingerprint, '.'))
  || substr(d.fingerprint, instr(d.fingerprint, '.') + instr(substr(d.fingerprint, instr(d.fingerprint, '.') + 1), '.'))`

export const IS_UNPROVEN = `instr(d.fingerprint, '..') > 0`

export type PodcastInheritance = ReturnType<typeof preparePodcastInheritance>

/** Data that a new address inherits in an exchange. Belongs inside a job; `isPrivate` uses current facts. */
export function preparePodcastInheritance(db: Database, isPrivate: (id: PodcastId) => boolean) {
  const findRow = db.prepare<HeirRow, [UserId, string]>(
    `SELECT p.id, p.is_secret AS isSecret, p.succeeded_at IS NOT NULL AS isFetched,
            pd.is_blocked AS isBlocked, pd.logo_url AS logoUrl,
            EXISTS (SELECT 1 FROM listeners l WHERE l.podcast_id = p.id AND l.user_id <> ?1 AND l.devices > 0) AS isShared
       FROM podcasts p LEFT JOIN podcast_details pd ON pd.podcast_id = p.id WHERE p.url = +?2`,
  )
  const classify = db.prepare<undefined, [string, number]>(
    'UPDATE podcasts SET is_secret = ?2 WHERE url = ?1 AND is_secret IS NULL',
  )
  const markInternal = db.prepare<undefined, [PodcastId, PodcastId]>(
    `UPDATE podcasts SET is_inside = 1
      WHERE id = ?2 AND is_inside = 0 AND EXISTS (SELECT 1 FROM podcasts WHERE id = ?1 AND is_inside = 1)`,
  )
  const copyDetails = db.prepare<undefined, [PodcastId, PodcastId]>(
    `INSERT INTO podcast_details
       (podcast_id, title, author, description, website, logo_url, language, tags, guid, is_blocked, funding_url)
     SELECT ?2, title, author, description, website, logo_url, language, tags, guid, is_blocked, funding_url
       FROM podcast_details WHERE podcast_id = +?1
     ON CONFLICT (podcast_id) DO NOTHING`,
  )
  const directoryChanges = prepareDirectoryChanges(db)
  const episodesOf = db.prepare<{ id: number }, [PodcastId]>(
    'SELECT episode_id AS id FROM episode_details WHERE podcast_id = +?1 ORDER BY episode_id',
  )
  const ensureEpisodes = db.prepare<undefined, [PodcastId, string]>(
    `INSERT INTO episodes (podcast_id, url)
     SELECT t.id, o.url FROM podcasts t CROSS JOIN json_each(?2) j CROSS JOIN episodes o ON o.id = CAST(j.value AS INTEGER)
      WHERE t.id = +?1 AND t.succeeded_at IS NULL ORDER BY o.id
     ON CONFLICT (podcast_id, url) DO NOTHING`,
  )
  const copyEpisodes = db.prepare<undefined, [PodcastId, string, number]>(
    `INSERT INTO episode_details (episode_id, podcast_id, fingerprint, title, description, website, released, guid, duration, size,
         mime_type, image_url, chapters_url, transcript_url, transcript_type, chapters, season, number, is_explicit, is_listed)
     SELECT n.id, t.id, CASE WHEN ?3 = 1 THEN d.fingerprint ELSE ${UNPROVEN} END, d.title, d.description, d.website, d.released, d.guid,
            d.duration, d.size, d.mime_type, d.image_url, d.chapters_url, d.transcript_url, d.transcript_type, d.chapters, d.season, d.number, d.is_explicit, d.is_listed
       FROM podcasts t CROSS JOIN json_each(?2) j CROSS JOIN episodes o ON o.id = CAST(j.value AS INTEGER)
       CROSS JOIN episode_details d ON d.episode_id = o.id CROSS JOIN episodes n ON n.podcast_id = t.id AND n.url = o.url
      WHERE t.id = +?1 AND t.succeeded_at IS NULL
     ON CONFLICT (episode_id) DO NOTHING`,
  )
  function find(userId: UserId, url: string): Heir | undefined {
    const row = findRow.get(userId, url)
    return row ? { ...row, isPrivate: isPrivate(row.id) } : undefined
  }

  return {
    /** Call this before the exchange, and the returned function after it; undefined if nothing may be inherited. */
    prepare(userId: UserId, from: string, to: string): () => Inheritance | undefined {
      const old = find(userId, from)
      return () => {
        classify.run(to, Number(isSecretUrl(to)))
        const heir = find(userId, to)
        const isProven = isTwin(from, to)
        if (!old || old.logoUrl === null || !heir || !mayInherit(old, heir, isProven)) return undefined
        // First, before the new address has details to show.
        markInternal.run(old.id, heir.id)
        if (copyDetails.run(old.id, heir.id).changes > 0) directoryChanges.ofFeed(heir.id)
        return { to: heir.id, logoUrl: old.logoUrl, episodes: episodesOf.all(old.id).map(({ id }) => id), isProven }
      }
    },

    copyEpisodes({ to, isProven }: Inheritance, episodes: readonly number[]): void {
      const ids = JSON.stringify(episodes)
      ensureEpisodes.run(to, ids)
      copyEpisodes.run(to, ids, Number(isProven))
    },
  }
}

/** Whether both addresses have the same host and path, and so the same owner. Other addresses are only claims. */
function isTwin(from: string, to: string): boolean {
  return from.startsWith('http://') && to === `https://${from.slice('http://'.length)}`
}

function mayInherit(old: Heir, heir: Heir, isProven: boolean): boolean {
  if (heir.isFetched === 1) return false
  // A feed that claims an address of another feed must not change what the subscribers of that feed see.
  if (heir.isShared === 1 && !isProven) return false
  // A private podcast must not become public. A block by the publisher is inherited, so it stays private.
  if (old.isSecret !== 0 && heir.isSecret === 0) return false
  return !old.isPrivate || heir.isPrivate || old.isBlocked === 1
}
