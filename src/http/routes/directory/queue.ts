import { invalid } from '../../../domain/shared/errors.ts'
import type { UserId } from '../../../domain/shared/ids.ts'
import { del, get, post, put, type Route } from '../../endpoint.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/queue.ts'
import { toItemJson } from './inbox.ts'

/** docs/protocol.md#queue. Each write returns the whole queue. */
export function queueRoutes({ queue, origins }: RouteParts): Route[] {
  async function queueOf(userId: UserId, request: Request) {
    const base = origins.baseOf(request)
    return { items: (await queue.list(userId)).map((item) => toItemJson(item, base)) }
  }

  return [
    get('/api/2/me/queue', 'user', spec.getQueue, ({ request, principal: { user } }) => queueOf(user.id, request)),
    put('/api/2/me/queue', 'user', spec.replaceQueue, async ({ request, principal: { user }, body }) => {
      await queue.replace(user.id, body.episodes)
      return queueOf(user.id, request)
    }),
    post('/api/2/me/queue', 'user', spec.addToQueue, async ({ request, principal: { user }, body }) => {
      await queue.add(user.id, body.episodes, body.at)
      return queueOf(user.id, request)
    }),
    del('/api/2/me/queue', 'user', spec.removeFromQueue, async ({ request, principal: { user }, query }) => {
      const { podcast, episode } = query
      if (podcast !== undefined && episode !== undefined) await queue.remove(user.id, { podcast, episode })
      else if (podcast === undefined && episode === undefined) await queue.clear(user.id)
      else throw invalid('podcast', 'podcast and episode are required together')
      return queueOf(user.id, request)
    }),
  ]
}
