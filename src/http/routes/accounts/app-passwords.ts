import type { Principal } from '../../../domain/accounts/authentication.ts'
import type { AppPassword } from '../../../domain/accounts/ports/app-passwords.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import type { AppPasswordId, SessionId } from '../../../domain/shared/ids.ts'
import { formatTimestamp, timestampOrEmpty } from '../../../domain/shared/time.ts'
import { noteSignedIn } from '../../activity.ts'
import { del, get, post, type Route } from '../../endpoint.ts'
import { parseId, userAgentOf } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/accounts/app-passwords.ts'
import { OK } from '../../spec/shared/models.ts'

/** docs/protocol.md#app-passwords. */
export function appPasswordRoutes({ appPasswords, origins }: RouteParts): Route[] {
  return [
    get('/api/2/me/app-passwords', 'browser', spec.listAppPasswords, async ({ principal: { user } }) =>
      (await appPasswords.list(user.id)).map(toAppPasswordJson),
    ),
    post('/api/2/me/app-passwords', 'browser', spec.createAppPassword, async ({ request, principal, body }) => {
      const options = { name: body.name, scope: body.scope ?? 'sync' }
      const { appPassword, password } = await appPasswords.create(sessionOf(principal), principal.user.id, options)
      const addresses =
        options.scope === 'feeds'
          ? addressesOf(`${origins.baseOf(request)}/feeds/${password.replaceAll('-', '')}`)
          : undefined
      return { ...toAppPasswordJson(appPassword), password, ...(addresses && { addresses }) }
    }),
    del('/api/2/me/app-passwords/:id', 'browser', spec.revokeAppPassword, async ({ principal: { user }, params }) => {
      await appPasswords.revoke(user.id, parseId(params.id) as AppPasswordId)
      return OK
    }),
  ]
}

/** docs/protocol.md#login-flow. Sends no redirects, since apps do not follow them here. */
export function loginFlowRoutes({ loginFlows, activity, origins }: RouteParts): Route[] {
  async function begin(request: Request) {
    const from = { address: origins.clientAddress(request), network: origins.clientNetwork(request) }
    const { poll, page } = await loginFlows.begin(userAgentOf(request), from)
    const base = origins.baseOf(request)
    return { poll: { token: poll, endpoint: `${base}/index.php/login/v2/poll` }, login: `${base}/login/flow/${page}` }
  }

  async function collect(request: Request, token: string) {
    const collected = await loginFlows.collect(token, origins.clientAddress(request))
    if (!collected) return new Response('[]', { status: 404, headers: { 'content-type': 'application/json' } })
    const { user, password } = collected
    noteSignedIn(activity, request, user.id)
    return { server: origins.baseOf(request), loginName: user.username, appPassword: password }
  }

  return [
    post('/index.php/login/v2', 'anyone', spec.beginLoginFlow, ({ request }) => begin(request)),
    post('/login/v2', 'anyone', spec.beginLoginFlowShort, ({ request }) => begin(request)),
    post('/index.php/login/v2/poll', 'anyone', spec.pollLoginFlow, ({ request, body }) => collect(request, body.token)),
    post('/login/v2/poll', 'anyone', spec.pollLoginFlowShort, ({ request, body }) => collect(request, body.token)),
    get('/api/2/login-flow/:token', 'anyone', spec.getLoginFlow, async ({ params }) => {
      const { userAgent, isGranted } = await loginFlows.get(params.token)
      return { client: userAgent, granted: isGranted }
    }),
    post('/login/flow/:token', 'browser', spec.grantLoginFlow, async ({ request, principal, params }) => {
      // Browsers send `Origin` with every POST, and this request grants access.
      if (!request.headers.has('origin'))
        throw new DomainError('csrf_rejected', 'the request does not name the page that sent it')
      await loginFlows.grant(params.token, sessionOf(principal), principal.user.id)
      return OK
    }),
    get('/status.php', 'anyone', spec.getNextcloudStatus, () => spec.getNextcloudStatus.example),
  ]
}

/** docs/protocol.md#private-feeds. */
function addressesOf(place: string) {
  return {
    new: `${place}/new.rss`,
    in_progress: `${place}/in-progress.rss`,
    queue: `${place}/queue.rss`,
    tag: `${place}/tag/{tag}.rss`,
    folder: `${place}/folder/{folder}.rss`,
    subscriptions: `${place}/subscriptions.opml`,
  }
}

export function sessionOf({ sessionId }: Principal): SessionId {
  if (sessionId === undefined) throw new Error('a principal by cookie has no session')
  return sessionId
}

export function toAppPasswordJson({ id, name, scope, createdAt, usedAt, client = '' }: AppPassword) {
  return {
    id,
    name,
    scope,
    created: formatTimestamp(createdAt),
    last_used: timestampOrEmpty(usedAt),
    client,
  }
}
