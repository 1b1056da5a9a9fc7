import type { DescribedListChange } from '../../../domain/sync/list-changes/list-changes.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { appOf, parseCursor } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/sync/list-changes.ts'

/** docs/protocol.md#undo. */
export const listChangeRoutes = ({ listHistory }: RouteParts): Route[] => [
  get('/api/2/me/changes', 'user', spec.listChanges, async ({ principal: { user }, query }) => {
    const { items, next } = await listHistory.list(user.id, parseCursor('before', query.before))
    return { items: items.map(toChangeJson), next: next ?? null }
  }),
  post('/api/2/me/restore', 'user', spec.restoreLists, async ({ request, principal: { user }, body }) => {
    const { device, time } = body
    return { status: 'ok' as const, ...(await listHistory.restore(user.id, { device, time }, appOf(request))) }
  }),
]

function toChangeJson({ id, at, device, app, kind, added, removed, text, canUndo }: DescribedListChange) {
  return {
    id,
    time: at,
    device: device?.uid ?? null,
    device_caption: device?.caption ?? '',
    app: app ?? '',
    kind,
    added: [...added.first],
    added_count: added.count,
    removed: [...removed.first],
    removed_count: removed.count,
    text,
    can_undo: canUndo,
  }
}
