import { RELATION } from '../../../domain/sync/addresses.ts'

/** SQL: the media URL by which the user's episode `ue` is told, as `e`: the one last uploaded. */
export const SHOWN_MEDIA = `CROSS JOIN episodes e ON e.id = CASE WHEN ue.joined_id IS NULL THEN ue.episode_id
       ELSE (SELECT j.media_id FROM joined_episodes j WHERE j.id = ue.joined_id) END`
/**
 * SQL: the address by which the user, who is parameter 1, is told of the podcast `p`: one that they are subscribed to, the
 * one that others lead to first. Ordinary podcasts have one address.
 */
export const SHOWN_PODCAST = `CASE WHEN p.has_aliases = 0 THEN p.url ELSE COALESCE((
    SELECT o.url
      FROM (SELECT p.id, -1 AS rank UNION ALL
            SELECT r.other_id, r.relation & ${RELATION.leadsHere} FROM address_relations r WHERE r.podcast_id = p.id) a
      CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = a.id AND l.devices > 0
      CROSS JOIN podcasts o ON o.id = a.id
     ORDER BY a.rank, a.id LIMIT 1), p.url) END`

/** SQL: the guid of the user's episode `ue`, where clients may be told it. */
export const SHOWN_GUID = 'CASE WHEN ue.is_guid_hidden = 0 THEN ue.guid END'

/**
 * SQL: whether the feed uses the guid of the episode details `d` for several episodes. Such a fingerprint has no name
 * (fingerprints.ts).
 */
export const IS_SHARED_GUID = `d.fingerprint >= '.' AND d.fingerprint < '/'`

/** The same, of a fingerprint. */
export function isSharedGuid(fingerprint: string): boolean {
  return fingerprint.startsWith('.')
}

/**
 * SQL: the guid of the user's episode `ue` for archives and moves. Includes guids that are hidden from clients, except
 * those that the feed uses for several episodes: they would become one until the feed is fetched at the new address.
 */
export const OWN_GUID = `CASE WHEN NOT EXISTS (SELECT 1 FROM episode_details d
    WHERE d.episode_id = ue.episode_id AND d.guid = ue.guid AND ${IS_SHARED_GUID}) THEN ue.guid END`
