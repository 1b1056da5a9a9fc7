import type { Clock } from '../../platform/clock.ts'
import { nextTurn } from '../../platform/timer.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { Cursors } from './cursors.ts'
import { createActionPlanner, type EpisodeAction, type RejectedItem } from './episode-action-rules.ts'
import type { ActionQuery, EpisodeActionStore } from './ports.ts'
import type { SyncClient } from './subscriptions.ts'

export interface Uploaded {
  readonly timestamp: number
  readonly updateUrls: [string, string][]
  readonly rejected: RejectedItem[]
  /** Which the stored actions name. */
  readonly devices: readonly string[]
}

export interface EpisodeActions {
  /** Actions uploaded since, by event time and upload order, read as they are asked for (docs/protocol.md#fetching-actions, D45–D47). */
  list(
    syncClient: SyncClient,
    query: ActionQuery,
  ): Promise<{ chunks: Iterable<readonly EpisodeAction[]>; timestamp: number }>
  /**
   * Stores all well-formed items, which may come in pieces (docs/protocol.md#uploading-actions). Throws `validation_failed` when there are none among some,
   * `payload_too_large`, and what reading the pieces throws.
   */
  upload(syncClient: SyncClient, pieces: Iterable<readonly unknown[]>): Promise<Uploaded>
}

export function createEpisodeActions(store: EpisodeActionStore, cursors: Cursors, clock: Clock): EpisodeActions {
  const streamOf = ({ userId }: SyncClient) => `actions ${userId}`

  return {
    async list(syncClient, query) {
      // What cannot be a feed URL matches nothing; the raw text does that as well as any.
      const podcast = query.podcast === undefined ? undefined : (sanitizeUrl(query.podcast) ?? query.podcast)
      const { chunks, clock } = await store.list(syncClient.userId, { ...query, podcast })
      return { chunks, timestamp: cursors.afterFetch(syncClient.client, streamOf(syncClient), clock) }
    },

    async upload(syncClient, pieces) {
      const now = clock.seconds()
      const planner = createActionPlanner(now)
      let isFirst = true
      for (const items of pieces) {
        if (!isFirst) await nextTurn()
        isFirst = false
        planner.add(items)
      }
      const { actions, updateUrls, rejected } = planner.finish()
      const stream = streamOf(syncClient)
      const seenUntil = cursors.seenUntil(syncClient.client, stream)
      const written = await store.applyUpload(syncClient.userId, actions, { at: now, seenUntil })
      const timestamp = cursors.afterUpload(syncClient.client, stream, written, seenUntil)
      const devices = [...new Set(actions.flatMap(({ device }) => device ?? []))]
      return { timestamp, updateUrls, rejected, devices }
    },
  }
}
