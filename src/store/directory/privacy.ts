import { isPrivatePodcast, isSecretUrl, type PrivacyFacts } from '../../domain/directory/privacy.ts'
import type { PodcastId } from '../../domain/shared/ids.ts'
import type { Database } from '../engine.ts'

interface FactsRow {
  readonly url: string
  readonly isSecret: number | null
  readonly isBlocked: number
  readonly subscribers: number
  readonly publishing: number
  readonly hiding: number
  readonly isHiddenBySomebody: number
}

/** SQL: whether the indexer has yet to decide if the podcast `p` is private, which it is until then. */
export const IS_UNDECIDED = `(p.is_secret IS NULL OR EXISTS (SELECT 1 FROM directory_changes q WHERE q.podcast_id = p.id))`

const CHOICE = `s.value -> '$.public_subscription'`

const CHOICES = `FROM settings s JOIN listeners l ON l.user_id = s.user_id AND l.podcast_id = p.id JOIN users u ON u.id = s.user_id
  WHERE s.target = p.url AND s.scope = 'podcast' AND ${CHOICE} IS NOT NULL`

const IS_SUBSCRIBER = `l.devices > 0 AND u.state = 'active'`

/** Decides from current facts whether a podcast is private. Only reads; belongs inside a job or a snapshot. */
export function preparePrivacy(db: Database): (id: PodcastId) => boolean {
  const facts = db.prepare<FactsRow, [PodcastId]>(
    `SELECT p.url, p.is_secret AS isSecret,
            p.subscribers + IFNULL((SELECT CAST(SUM(q.subscribers) AS INTEGER) FROM directory_changes q WHERE q.podcast_id = p.id), 0) AS subscribers,
            EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = p.id AND d.is_blocked = 1) AS isBlocked,
            (SELECT COUNT(*) ${CHOICES} AND ${CHOICE} = 'true' AND ${IS_SUBSCRIBER}) AS publishing,
            (SELECT COUNT(*) ${CHOICES} AND ${CHOICE} = 'false' AND ${IS_SUBSCRIBER}) AS hiding,
            p.was_hidden = 1 OR EXISTS (SELECT 1 ${CHOICES} AND ${CHOICE} = 'false') AS isHiddenBySomebody
       FROM podcasts p WHERE p.id = +?1`,
  )
  return (id) => {
    const row = facts.get(id)
    return row === null || isPrivatePodcast(toFacts(row))
  }
}

/** Classifies an address that the indexer has not classified yet, instead of waiting for it. */
function toFacts({ url, isSecret, isBlocked, isHiddenBySomebody, ...counts }: FactsRow): PrivacyFacts {
  return {
    ...counts,
    isSecret: isSecret === null ? isSecretUrl(url) : isSecret === 1,
    isBlocked: isBlocked === 1,
    isHiddenBySomebody: isHiddenBySomebody === 1,
  }
}
