import type { Principal } from '../domain/accounts/authentication.ts'
import type { LookupPrincipal } from '../domain/feeds/on-demand.ts'
import type { Origins } from './origin.ts'

export function lookupPrincipalOf(
  request: Request,
  principal: Principal | undefined,
  origins: Origins,
): LookupPrincipal {
  return { userId: principal?.user.id, address: origins.clientAddress(request) }
}
