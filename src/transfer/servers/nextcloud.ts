import { slices } from '../../domain/shared/lists.ts'
import { defaultCaption, NEXTCLOUD_DEVICE } from '../../domain/sync/devices.ts'
import { ITEMS_PER_RECORD, type SourcedRecord } from '../../domain/transfer/records.ts'
import { readHistory } from './episode-actions.ts'
import { FEEDS_MAX } from './gpodder.ts'
import { cursorOf, type Place } from './places.ts'
import { createProgress, readList, skippedOf, urlOf } from './read-items.ts'
import type { ServerClient } from './server-client.ts'

export const NEXTCLOUD_PATH = '/index.php/apps/gpoddersync'

/** Reads an account of Nextcloud's gpoddersync app, which has no devices or pages (docs/protocol.md#nextcloud). */
export async function* readNextcloud(client: ServerClient, place: Place | undefined): AsyncGenerator<SourcedRecord> {
  const progress = createProgress()
  if (place?.step !== 'actions') {
    const list = await readList(client, `${NEXTCLOUD_PATH}/subscriptions`, {
      query: { since: '0' },
      member: 'add',
      max: FEEDS_MAX,
      read: urlOf,
      keyOf: (url) => url,
    })
    if (list.problem !== undefined || !list.isOffered)
      throw client.failure(list.problem ?? `${client.host} has no GPodder Sync (404)`)
    yield {
      record: {
        kind: 'device',
        id: NEXTCLOUD_DEVICE,
        caption: defaultCaption(NEXTCLOUD_DEVICE),
        type: 'other',
      },
    }
    const feeds = list.items.map((url) => ({ url }))
    for (const batch of slices(feeds, ITEMS_PER_RECORD)) {
      yield { record: { kind: 'feeds', device: NEXTCLOUD_DEVICE, feeds: batch } }
      yield { record: progress(batch.length) }
    }
    for (const record of skippedOf('subscriptions', list)) yield { record }
    yield { record: progress(0), cursor: cursorOf({ kind: 'nextcloud', step: 'actions' }) }
  }
  yield* readHistory(
    {
      client,
      path: `${NEXTCLOUD_PATH}/episode_action`,
      device: NEXTCLOUD_DEVICE,
      progress,
      cursorAt: (history) => cursorOf({ kind: 'nextcloud', step: 'actions', history }),
    },
    place?.history,
  )
}
