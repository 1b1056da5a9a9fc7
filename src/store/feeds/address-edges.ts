import { isSecretUrl } from '../../domain/directory/privacy.ts'
import {
  addressesLedTo,
  type ClaimEnd,
  type EdgeKind,
  isClaimTrue,
  storableAddresses,
  weakestAddress,
} from '../../domain/feeds/addresses.ts'
import type { ClaimingFeed } from '../../domain/feeds/ports.ts'
import type { PodcastId } from '../../domain/shared/ids.ts'
import { ADDRESSES_MAX, RELATION } from '../../domain/sync/addresses.ts'
import type { Database } from '../engine.ts'
import type { FeedGuids } from '../sync/actions/feed-guids.ts'
import { preparePodcastIds } from '../sync/podcast-rows.ts'

interface IdRow {
  readonly id: PodcastId
}

interface ClaimEndRow {
  readonly url: string
  readonly isBlocked: number
  readonly guid: string
  readonly episodeGuids: string
}

interface ClaimRow extends ClaimEndRow {
  readonly id: PodcastId
  readonly newFeedUrl: string
  readonly isPrivate: number
}

interface Pair {
  readonly id: PodcastId
  readonly other: PodcastId
  readonly relation: number
  readonly reverse: number
}

interface EvidenceRow extends IdRow {
  readonly isOwnWord: number
  readonly users: number
  readonly crowd: number
}

/** Most users that one person might register. Addresses of more users are not counted, which would take long. */
const FEW_USERS = 5

const GUIDS_MAX = 20

const NEWEST_GUIDS = `SELECT d.guid FROM episode_details d WHERE d.podcast_id = p.id AND d.is_listed = 1 AND d.guid <> ''
  ORDER BY d.released DESC NULLS LAST, d.episode_id DESC LIMIT ${GUIDS_MAX}`

export type AddressEdges = ReturnType<typeof prepareAddressEdges>

/** Addresses that lead to others, and the relations that follow (docs/protocol.md#D83). Belongs inside a job. */
export function prepareAddressEdges(db: Database, feedGuids: FeedGuids, isPrivate: (id: PodcastId) => boolean) {
  const podcastIds = preparePodcastIds(db)
  const urlOf = db.prepare<{ url: string }, [PodcastId]>('SELECT url FROM podcasts WHERE id = ?1')
  const edgesOfKind = db.prepare<IdRow & { url: string }, [PodcastId, EdgeKind]>(
    `SELECT e.leads_to AS id, p.url FROM address_edges e CROSS JOIN podcasts p ON p.id = e.leads_to
      WHERE e.podcast_id = ?1 AND e.kind = ?2`,
  )
  const edgesFrom = db.prepare<IdRow, [PodcastId]>(
    'SELECT DISTINCT leads_to AS id FROM address_edges WHERE podcast_id = ?1',
  )
  const addEdge = db.prepare<undefined, [PodcastId, EdgeKind, PodcastId]>(
    'INSERT INTO address_edges (podcast_id, kind, leads_to) VALUES (?1, ?2, ?3)',
  )
  const removeEdge = db.prepare<undefined, [PodcastId, EdgeKind, PodcastId]>(
    'DELETE FROM address_edges WHERE podcast_id = ?1 AND kind = ?2 AND leads_to = ?3',
  )
  const related = db.prepare<IdRow, [PodcastId, number]>(
    'SELECT other_id AS id FROM address_relations WHERE podcast_id = ?1 AND relation & ?2 <> 0 ORDER BY other_id',
  )
  const relatedToAny = db.prepare<IdRow, [PodcastId]>(
    'SELECT other_id AS id FROM address_relations WHERE podcast_id = ?1',
  )
  const removeRelationTo = db.prepare<undefined, [PodcastId, PodcastId]>(
    'DELETE FROM address_relations WHERE podcast_id = ?1 AND other_id = ?2',
  )
  const hasRoom = db.prepare<undefined, [PodcastId]>(
    `SELECT 1 WHERE (SELECT COUNT(*) FROM address_relations WHERE podcast_id = ?1) < ${ADDRESSES_MAX}`,
  )
  const rivals = db.prepare<EvidenceRow, [PodcastId, PodcastId, number]>(
    `WITH rivals AS MATERIALIZED
       (SELECT r.id, r.relation, max(p.subscribers, (
                 SELECT COUNT(*) FROM (SELECT 1 FROM listeners l WHERE l.podcast_id = r.id LIMIT ${FEW_USERS + 1}) few)) AS users
          FROM (SELECT other_id AS id, relation FROM address_relations WHERE podcast_id = +?1 UNION ALL SELECT +?2, +?3) r
         CROSS JOIN podcasts p ON p.id = r.id)
     SELECT r.id, r.relation & ${RELATION.leadsThere} AS isOwnWord, r.users,
            CASE WHEN r.users > ${FEW_USERS} THEN 0 ELSE IFNULL((
              SELECT MIN((SELECT COUNT(*) FROM rivals o CROSS JOIN listeners x
                           WHERE x.user_id = l.user_id AND x.podcast_id = o.id))
                FROM listeners l WHERE l.podcast_id = r.id), 0) END AS crowd
       FROM rivals r`,
  )
  const isRelated = db.prepare<undefined, [PodcastId, PodcastId]>(
    'SELECT 1 FROM address_relations WHERE podcast_id = ?1 AND other_id = ?2',
  )
  const relate = db.prepare<undefined, [PodcastId, PodcastId, number]>(
    `INSERT INTO address_relations (podcast_id, other_id, relation) VALUES (?1, ?2, ?3)
     ON CONFLICT (podcast_id, other_id) DO UPDATE SET relation = address_relations.relation | excluded.relation`,
  )
  const unrelate = db.prepare<undefined, [PodcastId, PodcastId, number]>(
    'UPDATE address_relations SET relation = relation & ~CAST(?3 AS INTEGER) WHERE podcast_id = ?1 AND other_id = ?2',
  )
  const removeUnrelated = db.prepare<undefined, [PodcastId, PodcastId]>(
    'DELETE FROM address_relations WHERE podcast_id = ?1 AND other_id = ?2 AND relation = 0',
  )
  const mark = db.prepare<undefined, [PodcastId]>(
    `UPDATE podcasts SET has_aliases = 1 - has_aliases
      WHERE id = ?1 AND (has_aliases = 1) <> EXISTS (SELECT 1 FROM address_relations WHERE podcast_id = ?1)`,
  )
  const keepGuids = db.prepare<undefined, [PodcastId]>(
    `INSERT INTO address_guids (podcast_id, guid)
     SELECT p.id, g.guid FROM podcasts p CROSS JOIN
       (SELECT 'podcast ' || pd.guid AS guid FROM podcast_details pd WHERE pd.podcast_id = ?1 AND pd.guid <> ''
         UNION ALL SELECT 'episode ' || newest.guid FROM (${NEWEST_GUIDS.replace('p.id', '?1')}) newest) g
      WHERE p.id = ?1 AND p.succeeded_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM address_edges e WHERE e.podcast_id = ?1 AND e.kind = 'redirect')
     ON CONFLICT (podcast_id, guid) DO NOTHING`,
  )
  const removeGuids = db.prepare<undefined, [PodcastId]>('DELETE FROM address_guids WHERE podcast_id = ?1')
  const shareGuids = db.prepare<undefined, [PodcastId, PodcastId]>(
    `SELECT 1 FROM address_guids a CROSS JOIN address_guids b ON b.podcast_id = ?2 AND b.guid = a.guid
      WHERE a.podcast_id = ?1 LIMIT 1`,
  )
  // Claims that can be checked without a request, since both feeds have been read. Excludes claims that lead into the
  // private network.
  const storedClaims = db.prepare<IdRow & { readonly target: PodcastId; readonly url: string }, [PodcastId]>(
    `SELECT c.podcast_id AS id, t.id AS target, c.url FROM address_claims c CROSS JOIN podcasts t ON t.url = c.url
      WHERE c.is_true = 0 AND (c.podcast_id = ?1 OR c.url = (SELECT url FROM podcasts WHERE id = ?1))
        AND t.succeeded_at IS NOT NULL AND t.is_inside = 0`,
  )
  const claimEnd = db.prepare<ClaimEndRow, [PodcastId]>(
    `SELECT p.url, pd.is_blocked AS isBlocked, pd.guid,
            (SELECT json_group_array(newest.guid) FROM (${NEWEST_GUIDS}) newest) AS episodeGuids
       FROM podcasts p CROSS JOIN podcast_details pd ON pd.podcast_id = p.id WHERE p.id = ?1`,
  )
  const writeClaim = db.prepare<undefined, [PodcastId, string, number, number]>(
    'UPDATE address_claims SET tried_at = ?3, is_true = ?4 WHERE podcast_id = ?1 AND url = ?2',
  )
  const claimOf = db.prepare<{ url: string }, [PodcastId]>('SELECT url FROM address_claims WHERE podcast_id = ?1')
  const removeClaim = db.prepare<undefined, [PodcastId]>('DELETE FROM address_claims WHERE podcast_id = ?1')
  const setClaim = db.prepare<undefined, [PodcastId, string]>(
    `INSERT INTO address_claims (podcast_id, url) VALUES (?1, ?2)
     ON CONFLICT (podcast_id) DO UPDATE SET url = excluded.url, tried_at = NULL, is_true = 0`,
  )

  const claimsToTry = db.prepare<ClaimRow, [number, number]>(
    `SELECT p.id, p.url, c.url AS newFeedUrl, p.is_private AS isPrivate, pd.is_blocked AS isBlocked, pd.guid,
            (SELECT json_group_array(newest.guid) FROM (${NEWEST_GUIDS}) newest) AS episodeGuids
       FROM address_claims c CROSS JOIN podcasts p ON p.id = c.podcast_id CROSS JOIN podcast_details pd ON pd.podcast_id = p.id
      WHERE c.is_true = 0 AND (c.tried_at IS NULL OR c.tried_at < ?1) AND p.subscribers > 0
      ORDER BY c.tried_at NULLS FIRST, p.subscribers DESC, p.id LIMIT ?2`,
  )

  const idsOf = (rows: readonly IdRow[]) => rows.map(({ id }) => id)
  const nextOf = (id: PodcastId) => idsOf(edgesFrom.all(id))

  /** Returns the address that `id` has to give up for `other`, possibly `other` itself; undefined if there is room. */
  function findEvicted(id: PodcastId, other: PodcastId, relation: number): PodcastId | undefined {
    if (hasRoom.get(id) !== null) return undefined
    const all = rivals.all(id, other, relation)
    return weakestAddress(all.map((row) => ({ ...row, isOwnWord: row.isOwnWord !== 0 })))
  }

  function evict(id: PodcastId, other: PodcastId): void {
    removeRelationTo.run(id, other)
    removeRelationTo.run(other, id)
  }

  /**
   * Adds both rows of a pair; `relation` is the relation of the first to the second. Does nothing if one of them already
   * has too many addresses with better evidence. Returns the addresses whose relations have changed.
   */
  function addRelation({ id, other, relation, reverse }: Pair): PodcastId[] {
    const changed = [id, other]
    if (isRelated.get(id, other) === null) {
      const ofId = findEvicted(id, other, relation)
      const ofOther = findEvicted(other, id, reverse)
      if (ofId === other || ofOther === id) return []
      if (ofId !== undefined) evict(id, ofId)
      if (ofOther !== undefined) evict(other, ofOther)
      changed.push(...[ofId, ofOther].filter((evicted) => evicted !== undefined))
    }
    relate.run(id, other, relation)
    relate.run(other, id, reverse)
    return changed
  }

  function removeRelation(id: PodcastId, other: PodcastId, relation: number, reverse: number): void {
    unrelate.run(id, other, relation)
    unrelate.run(other, id, reverse)
    removeUnrelated.run(id, other)
    removeUnrelated.run(other, id)
  }

  /** Returns the addresses whose relations have changed. */
  function follow(id: PodcastId): PodcastId[] {
    const now = addressesLedTo(id, nextOf)
    const before = new Set(idsOf(related.all(id, RELATION.leadsThere)))
    const removed = [...before.difference(now)]
    for (const other of removed) removeRelation(id, other, RELATION.leadsThere, RELATION.leadsHere)
    const added = db.each(now.difference(before), (other) =>
      addRelation({ id, other, relation: RELATION.leadsThere, reverse: RELATION.leadsHere }),
    )
    return [...(removed.length > 0 ? [id, ...removed] : []), ...added.flat()]
  }

  /** Returns the addresses whose relations have changed. */
  function findSiblings(id: PodcastId): PodcastId[] {
    const before = new Set(idsOf(related.all(id, RELATION.shares)))
    const places = idsOf(related.all(id, RELATION.leadsThere))
    const siblings = new Set(
      db.together(places.map((target) => () => idsOf(related.all(target, RELATION.leadsHere)))).flat(),
    )
    siblings.delete(id)
    const compared = [...siblings].slice(0, ADDRESSES_MAX)
    const shares = db.together(compared.map((other) => () => shareGuids.get(id, other) !== null))
    const now = new Set(compared.filter((_, n) => shares[n]))
    const removed = [...before.difference(now)]
    for (const other of removed) removeRelation(id, other, RELATION.shares, RELATION.shares)
    const added = db.each(now.difference(before), (other) =>
      addRelation({ id, other, relation: RELATION.shares, reverse: RELATION.shares }),
    )
    return [...removed, ...added.flat()]
  }

  /** Updates relations of an address whose edges have changed, and of the addresses that lead to it. */
  function update(id: PodcastId): void {
    const all = [id, ...idsOf(related.all(id, RELATION.leadsHere))]
    const followed = db.each(all, follow).flat()
    const touched = new Set([id, ...followed, ...db.each(all, findSiblings).flat()])
    db.each(touched, (each) => {
      mark.run(each)
      feedGuids.noteRelations(each)
    })
  }

  function setEdges(id: PodcastId, kind: EdgeKind, urls: readonly string[], at: number): void {
    const before = edgesOfKind.all(id, kind)
    if (before.length === 0 && urls.length === 0) return
    const added = new Set(storableAddresses(urlOf.get(id)?.url ?? '', urls))
    const removed = before.filter(({ url }) => !added.delete(url))
    for (const { id: other } of removed) removeEdge.run(id, kind, other)
    for (const url of added) addEdge.run(id, kind, podcastIds.ensure(url, at))
    if (kind === 'redirect' && urls.length === 0) removeGuids.run(id)
    if (removed.length > 0 || added.size > 0) update(id)
  }

  function noteClaim(id: PodcastId, url: string, at: number, isTrue: boolean): void {
    const { changes } = writeClaim.run(id, url, at, Number(isTrue))
    if (changes > 0 && isTrue) setEdges(id, 'claim', [url], at)
  }

  return {
    keepGuids: (id: PodcastId): void => void keepGuids.run(id),

    /** Records the redirects of a successful fetch, possibly none. */
    setRedirects: (id: PodcastId, urls: readonly string[], at: number): void => setEdges(id, 'redirect', urls, at),

    /** Records whether the same podcast is available over https (docs/protocol.md#D73). */
    setTwin(id: PodcastId, exists: boolean, at: number): void {
      const url = urlOf.get(id)?.url ?? ''
      setEdges(id, 'twin', exists ? [url.replace(/^http:/, 'https:')] : [], at)
    },

    /** Records the new address that a feed document names; `''` for none. */
    setClaim(id: PodcastId, newFeedUrl: string, at: number): void {
      const before = claimOf.get(id)?.url
      if (before === undefined && newFeedUrl === '') return
      const [url] = storableAddresses(urlOf.get(id)?.url ?? '', [newFeedUrl])
      if (url === before) return
      if (url === undefined) removeClaim.run(id)
      else setClaim.run(id, url)
      setEdges(id, 'claim', [], at)
    },

    noteClaim,

    claimsToTry: (before: number, limit: number): ClaimingFeed[] => claimsToTry.all(before, limit).map(toClaimingFeed),

    /** Checks the claim of a document just read, and claims that name its address, against stored feeds. */
    checkStoredClaims(id: PodcastId, at: number): void {
      for (const claim of storedClaims.all(id)) {
        const [from, to] = [claimEnd.get(claim.id), claimEnd.get(claim.target)]
        if (!from || !to) continue
        const isTrue = isClaimTrue({ ...toClaimEnd(from), isPrivate: isPrivate(claim.id) }, toClaimEnd(to))
        if (isTrue) noteClaim(claim.id, claim.url, at, true)
      }
    },

    /** Removes relations before the podcast is removed, since a new podcast may get its number. */
    forget(id: PodcastId): void {
      for (const other of idsOf(relatedToAny.all(id))) {
        removeRelationTo.run(other, id)
        mark.run(other)
      }
    },
  }
}

function toClaimingFeed({ isPrivate, id, newFeedUrl, ...end }: ClaimRow): ClaimingFeed {
  return { ...toClaimEnd(end), id, newFeedUrl, isPrivate: isPrivate === 1 }
}

function toClaimEnd({ url, isBlocked, guid, episodeGuids }: ClaimEndRow): ClaimEnd {
  const guids: unknown = JSON.parse(episodeGuids)
  return {
    isSecret: isSecretUrl(url),
    isBlocked: isBlocked === 1,
    guid,
    episodeGuids: Array.isArray(guids) ? guids.map(String) : [],
  }
}
