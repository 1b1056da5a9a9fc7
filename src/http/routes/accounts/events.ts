import { get, type Route } from '../../endpoint.ts'
import { streamHints } from '../../live/stream.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/accounts/events.ts'

/** docs/protocol.md#live. */
export function eventRoutes({ hub, authGuard }: RouteParts): Route[] {
  return [
    get('/api/2/me/events', 'user', spec.watchAccount, async ({ request, principal }) => {
      const isAdmin = (viewer: typeof principal) => viewer.user.isAdmin && viewer.appPassword === undefined
      return streamHints(hub.open(principal.user.id, isAdmin(principal)), async () => {
        const now = await authGuard.authorizeAgain(request, 'user')
        return now && { isAdmin: isAdmin(now) }
      })
    }),
  ]
}
