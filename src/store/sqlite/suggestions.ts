import type { Database } from 'bun:sqlite'
import type { UserId } from '../../domain/ids.ts'
import { EVERYTHING } from './podcast-tags.ts'

interface WeightedTag {
  readonly id: number
  readonly title: string
  /** The user's podcasts that carry it. */
  readonly weight: number
}

interface Candidate {
  readonly id: number
  readonly subscribers: number
  readonly sortKey: string
}

interface Scored extends Candidate {
  score: number
  readonly because: string[]
}

/** A user's tags that count, the ones most of the user's podcasts carry. */
const TAGS_MAX = 50
/** Podcasts looked at, most subscribed of each tag: exact for any household, and a bound for a crowd. */
const LOOKED_AT = 5000
const REASONS_MAX = 3

/** protocol.md D53. Listed podcasts the user has on no device, best first, with the names of the tags that speak for each. */
export function prepareSuggestions(
  db: Database,
): (userId: UserId, count: number) => { readonly id: number; readonly because: readonly string[] }[] {
  const tags = db.prepare<WeightedTag, [UserId]>(
    `SELECT t.tag_id AS id, tags.title, COUNT(*) AS weight
       FROM listeners l JOIN podcast_tags t ON t.podcast_id = l.podcast_id AND t.tag_id <> ${EVERYTHING} JOIN tags ON tags.id = t.tag_id
      WHERE l.user_id = +?1 AND l.devices > 0
      GROUP BY t.tag_id ORDER BY weight DESC, t.tag_id LIMIT ${TAGS_MAX}`,
  )
  const candidates = db.prepare<Candidate, [number, UserId, number]>(
    `SELECT t.podcast_id AS id, t.subscribers, t.sort_key AS sortKey FROM podcast_tags t
      WHERE t.tag_id = +?1 AND t.is_listed = 1
        AND NOT EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?2 AND l.podcast_id = t.podcast_id AND l.devices > 0)
      ORDER BY t.subscribers DESC, t.sort_key LIMIT ?3`,
  )

  return (userId, count) => {
    const mine = tags.all(userId)
    const each = Math.ceil(LOOKED_AT / Math.max(1, mine.length))
    const scored = new Map<number, Scored>()
    for (const { id: tagId, title, weight } of mine)
      for (const candidate of candidates.all(tagId, userId, each)) {
        let known = scored.get(candidate.id)
        if (!known) {
          known = { ...candidate, score: 0, because: [] }
          scored.set(candidate.id, known)
        }
        known.score += weight
        if (known.because.length < REASONS_MAX) known.because.push(title)
      }
    return [...scored.values()].sort(byScore).slice(0, count)
  }
}

function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || b.subscribers - a.subscribers || byText(a.sortKey, b.sortKey) || a.id - b.id
}

function byText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
