import { RELATION } from '../../../domain/sync/addresses.ts'

/** SQL: joins as `e` the media URL that clients see for the user's episode `ue`: the one last uploaded. */
export const SHOWN_MEDIA = `CROSS JOIN episodes e ON e.id = CASE WHEN ue.joined_id IS NULL THEN ue.episode_id
       ELSE (SELECT j.media_id FROM joined_episodes j WHERE j.id = ue.joined_id) END`
/**
 * SQL: the address of the podcast `p` that user `?1` sees: one that the user is subscribed to, preferably one that
 * others lead to. Most podcasts have one address.
 */
export const SHOWN_PODCAST = `CASE WHEN p.has_aliases = 0 THEN p.url ELSE COALESCE((
    SELECT o.url
      FROM (SELECT p.id, -1 AS rank UNION ALL
            SELECT r.other_id, r.relation & ${RELATION.leadsHere} FROM address_relations r WHERE r.podcast_id = p.id) a
      CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = a.id AND l.devices > 0
      CROSS JOIN podcasts o ON o.id = a.id
     ORDER BY a.rank, a.id LIMIT 1), p.url) END`

/** SQL: the guid of the user's episode `ue`, unless it is hidden from clients. */
export const SHOWN_GUID = 'CASE WHEN ue.is_guid_hidden = 0 THEN ue.guid END'

/**
 * SQL: whether the feed uses the guid of the episode details `d` for several episodes. Such a fingerprint has no name
 * (fingerprints.ts).
 */
export const IS_SHARED_GUID = `d.fingerprint >= '.' AND d.fingerprint < '/'`

/** Whether the fingerprint belongs to a guid that its feed uses for several episodes. */
export function isSharedGuid(fingerprint: string): boolean {
  return fingerprint.startsWith('.')
}

/**
 * SQL: the guid of the user's episode `ue` for archives and moves. Includes guids that are hidden from clients, but not
 * those that the feed uses for several episodes, which would be joined until the feed is fetched at the new address.
 */
export const OWN_GUID = `CASE WHEN NOT EXISTS (SELECT 1 FROM episode_details d
    WHERE d.episode_id = ue.episode_id AND d.guid = ue.guid AND ${IS_SHARED_GUID}) THEN ue.guid END`
