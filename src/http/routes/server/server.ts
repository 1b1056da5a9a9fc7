import { get, type Route } from '../../endpoint.ts'
import { allowCaching } from '../../responses/caching.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/server/server.ts'
import { OK } from '../../spec/shared/models.ts'
import { ssoInfo, toAccountJson } from '../accounts/me.ts'

const CONFIG_SECONDS = 7 * 86_400

export function serverRoutes(parts: RouteParts): Route[] {
  const { serverInfo, ownAccount, singleSignOn, externalDirectory, origins } = parts
  const { version, registration, canMail, isOutbound } = serverInfo
  return [
    get('/api/2/server', 'optional', spec.getServer, async ({ request, principal }) => ({
      version,
      registration,
      first_run: await serverInfo.isFirstRun(),
      mail: canMail,
      outbound: isOutbound,
      sso: ssoInfo(singleSignOn),
      proxy_user: origins.proxyUser(request) ?? null,
      external_directory: externalDirectory.status().isOn,
      account: principal ? toAccountJson(principal.user, await ownAccount.waysIn(principal.user)) : null,
      base_url: origins.baseOf(request),
      // Addresses in the home network are visible only after signing in.
      addresses: principal ? [...serverInfo.addresses()] : [],
    })),
    get('/clientconfig.json', 'anyone', spec.getClientConfig, ({ request, set }) => {
      const own = { baseurl: `${origins.baseOf(request)}/` }
      allowCaching(set)
      return { mygpo: own, 'mygpo-feedservice': own, update_timeout: CONFIG_SECONDS }
    }),
  ]
}

export interface Health {
  /** Rejects with `unavailable` if the database cannot be read and written, and while the server is stopping. */
  ready(): Promise<void>
}

export function healthRoutes(health: Health): Route[] {
  const readiness = async () => {
    await health.ready()
    return OK
  }
  return [
    get('/healthz', 'anyone', spec.isAlive, () => OK),
    get('/readyz', 'anyone', spec.isReady, readiness),
    get('/health', 'anyone', spec.health, readiness),
  ]
}
