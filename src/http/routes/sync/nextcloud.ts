import { tooManyActions } from '../../../domain/shared/limits.ts'
import { formatTimestamp, parseSince } from '../../../domain/shared/time.ts'
import { NEXTCLOUD_DEVICE } from '../../../domain/sync/devices.ts'
import type { EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import { readItems } from '../../../formats/json-items.ts'
import { countActions, noteActivity, sizesOf } from '../../activity.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { itemsOf, noteLastSeen, syncClientOf, writingClientOf } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/sync/nextcloud.ts'
import { ACTION_LIMITS, streamActions } from './episode-actions.ts'

/** docs/protocol.md#nextcloud. Apps use paths below `index.php`, or without it if a server hides it (D60). */
export const nextcloudRoutes = (parts: RouteParts): Route[] => [
  ...routesBelow('/index.php/apps/gpoddersync', spec, parts),
  ...routesBelow('/apps/gpoddersync', spec.SHORT, parts),
]

type Specs = Pick<typeof spec, 'getChanges' | 'uploadChanges' | 'listActions' | 'uploadActions'>

const routesBelow = (path: string, specs: Specs, { nextcloud, lastSeen, activity }: RouteParts): Route[] => [
  get(`${path}/subscriptions`, 'user', specs.getChanges, async ({ principal, query }) => {
    const changes = await nextcloud.changesSince(syncClientOf(principal), parseSince(query.since))
    noteLastSeen(lastSeen, principal, NEXTCLOUD_DEVICE)
    noteActivity(activity, principal, {
      kind: 'fetched_changes',
      device: NEXTCLOUD_DEVICE,
      ...sizesOf(changes),
    })
    return changes
  }),
  post(`${path}/subscription_change/create`, 'user', specs.uploadChanges, async ({ request, principal, body }) => {
    const change = { add: itemsOf(body.add), remove: itemsOf(body.remove) }
    const answer = await nextcloud.upload(writingClientOf(request, principal), change)
    noteLastSeen(lastSeen, principal, NEXTCLOUD_DEVICE)
    noteActivity(activity, principal, { kind: 'sent_changes', device: NEXTCLOUD_DEVICE, ...sizesOf(change) })
    return answer
  }),
  get(`${path}/episode_action`, 'user', specs.listActions, async ({ principal, query }) => {
    const { chunks, timestamp } = await nextcloud.listActions(syncClientOf(principal), parseSince(query.since))
    noteLastSeen(lastSeen, principal, NEXTCLOUD_DEVICE)
    const note = (items: number) =>
      noteActivity(activity, principal, { kind: 'fetched_actions', device: NEXTCLOUD_DEVICE, items })
    return streamActions(countActions(chunks, note), timestamp, toNextcloud)
  }),
  post(`${path}/episode_action/create`, 'user', specs.uploadActions, async ({ principal, body }) => {
    const items = readItems(body, { limits: ACTION_LIMITS, member: 'actions', tooMany: tooManyActions })
    const { timestamp, count } = await nextcloud.uploadActions(syncClientOf(principal), items)
    noteLastSeen(lastSeen, principal, NEXTCLOUD_DEVICE)
    noteActivity(activity, principal, { kind: 'sent_actions', device: NEXTCLOUD_DEVICE, items: count })
    return { timestamp }
  }),
]

/** Always all eight keys, with -1 for unknown values, unlike everywhere else (docs/protocol.md#D63). */
function toNextcloud({ podcast, episode, guid, kind, at, started, position, total }: EpisodeAction) {
  return {
    podcast,
    episode,
    guid: guid ?? null,
    action: kind.toUpperCase(),
    timestamp: formatTimestamp(at),
    started: started ?? -1,
    position: position ?? -1,
    total: total ?? -1,
  }
}
