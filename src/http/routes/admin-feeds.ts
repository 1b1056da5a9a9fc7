import { Elysia, t } from 'elysia'
import { invalid } from '../../domain/errors.ts'
import type { Feeds } from '../../domain/feeds.ts'
import { authPlugin, type Gatekeeper } from '../auth.ts'
import { shape } from '../shape.ts'

const SingleQuery = shape({ url: t.Optional(t.String()) })

/**
 * protocol.md 18.7, the two about feeds. Not in the API description: the refusals are those of the protocol, but nothing can succeed
 * before the server fetches feeds.
 */
export function adminFeedRoutes(feeds: Feeds, gatekeeper: Gatekeeper) {
  return new Elysia()
    .use(authPlugin(gatekeeper))
    .post('/api/admin/feeds/update', () => feeds.refreshAll(), { auth: 'admin' })
    .post(
      '/api/admin/feeds/update/single',
      ({ query: { url } }) => {
        if (url === undefined || url === '') throw invalid('url', 'url is required')
        return feeds.refresh(url)
      },
      { auth: 'admin', query: SingleQuery },
    )
}
