import type { Clock } from '../platform/clock.ts'
import { nextTurn } from '../platform/next-turn.ts'
import type { Cursors } from './cursors.ts'
import { createActionPlanner, type EpisodeAction, type RejectedItem } from './episode-action-rules.ts'
import { sanitizeUrl } from './feed-url.ts'
import type { ActionQuery, EpisodeActionStore } from './ports.ts'
import type { Requester } from './subscriptions.ts'

export interface Uploaded {
  readonly timestamp: number
  readonly updateUrls: [string, string][]
  readonly rejected: RejectedItem[]
  /** Which the stored actions name. */
  readonly devices: readonly string[]
}

export interface EpisodeActions {
  /** Actions uploaded since, by event time and upload order, read as they are asked for (protocol.md 9.2, D45–D47). */
  list(
    requester: Requester,
    query: ActionQuery,
  ): Promise<{ chunks: Iterable<readonly EpisodeAction[]>; timestamp: number }>
  /**
   * Stores all well-formed items, which may come in pieces (protocol.md 9.3). Throws `validation_failed` when there are none among some,
   * `payload_too_large`, and what reading the pieces throws.
   */
  upload(requester: Requester, pieces: Iterable<readonly unknown[]>): Promise<Uploaded>
}

export function createEpisodeActions(store: EpisodeActionStore, cursors: Cursors, clock: Clock): EpisodeActions {
  const streamOf = ({ userId }: Requester) => `actions ${userId}`

  return {
    async list(requester, query) {
      // What cannot be a feed URL matches nothing; the raw text does that as well as any.
      const podcast = query.podcast === undefined ? undefined : (sanitizeUrl(query.podcast) ?? query.podcast)
      const { chunks, clock } = await store.list(requester.userId, { ...query, podcast })
      return { chunks, timestamp: cursors.afterFetch(requester.client, streamOf(requester), clock) }
    },

    async upload(requester, pieces) {
      const now = clock.seconds()
      const planner = createActionPlanner(now)
      let isFirst = true
      for (const items of pieces) {
        if (!isFirst) await nextTurn()
        isFirst = false
        planner.add(items)
      }
      const { actions, updateUrls, rejected } = planner.finish()
      const stream = streamOf(requester)
      const seenUntil = cursors.seenUntil(requester.client, stream)
      const written = await store.applyUpload(requester.userId, actions, { at: now, seenUntil })
      const timestamp = cursors.afterUpload(requester.client, stream, written, seenUntil)
      const devices = [...new Set(actions.flatMap(({ device }) => device ?? []))]
      return { timestamp, updateUrls, rejected, devices }
    },
  }
}
