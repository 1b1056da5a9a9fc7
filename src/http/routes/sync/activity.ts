import type { ListedActivity } from '../../../domain/sync/activity/activity.ts'
import { get, type Route } from '../../endpoint.ts'
import { parseCursor } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/sync/activity.ts'

/** docs/protocol.md#activity. */
export const activityRoutes = ({ activity }: RouteParts): Route[] => [
  get('/api/2/me/activity', 'user', spec.listActivity, async ({ principal: { user }, query }) => {
    const { items, next } = await activity.list(user.id, parseCursor('before', query.before))
    return { items: items.map(toActivityJson), next: next ?? null }
  }),
]

function toActivityJson(row: ListedActivity) {
  const { firstAt, lastAt, count, device, caption, app, isBrowser, kind, added, removed, items, reason } = row
  return {
    time: lastAt,
    since: firstAt,
    count,
    device: device ?? null,
    device_caption: caption,
    app: app ?? '',
    by: isBrowser ? ('browser' as const) : ('app' as const),
    kind,
    added,
    removed,
    items,
    reason: reason ?? null,
  }
}
