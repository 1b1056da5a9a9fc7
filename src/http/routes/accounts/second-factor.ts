import type { Principal } from '../../../domain/accounts/authentication.ts'
import type { FactorOrigin } from '../../../domain/accounts/second-factor.ts'
import { timestampOrEmpty } from '../../../domain/shared/time.ts'
import { del, get, post, type Route } from '../../endpoint.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/accounts/second-factor.ts'
import { OK } from '../../spec/shared/models.ts'
import { sessionOf } from './app-passwords.ts'

const PATH = '/api/2/me/second-factor'

/** docs/protocol.md#second-factor. */
export function secondFactorRoutes({ secondFactors, origins }: RouteParts): Route[] {
  const originOf = (request: Request, principal: Principal): FactorOrigin => ({
    session: sessionOf(principal),
    address: origins.clientAddress(request),
  })

  return [
    get(PATH, 'browser', spec.getSecondFactor, async ({ principal: { user } }) => {
      const factor = await secondFactors.find(user.id)
      return {
        enabled: factor !== undefined,
        since: timestampOrEmpty(factor?.createdAt),
        recovery_codes: factor?.recoveryCodes ?? 0,
      }
    }),
    post(`${PATH}/setup`, 'browser', spec.beginSecondFactor, async ({ request, principal, body }) => {
      const { user } = principal
      const secret = await secondFactors.begin(user, body.password, originOf(request, principal))
      return { secret, uri: uriOf(secret, user.username, origins.baseOf(request)) }
    }),
    post(PATH, 'browser', spec.enableSecondFactor, async ({ request, principal, body }) => ({
      recovery_codes: await secondFactors.enable(principal.user, body.code, originOf(request, principal)),
    })),
    post(`${PATH}/recovery-codes`, 'browser', spec.renewRecoveryCodes, async ({ request, principal, body }) => {
      const from = originOf(request, principal)
      const codes = await secondFactors.renewRecoveryCodes(principal.user, body.password, body.code, from)
      return { recovery_codes: codes }
    }),
    del(PATH, 'browser', spec.disableSecondFactor, async ({ request, principal, body }) => {
      await secondFactors.disable(principal.user, body.password, body.code, originOf(request, principal))
      return OK
    }),
  ]
}

/** URI for authenticator apps. They display the issuer, which must not contain a colon. */
function uriOf(secret: string, username: string, base: string): string {
  const host = (URL.parse(base)?.hostname ?? '').replaceAll(/[^\w.-]+/g, ' ').trim()
  const issuer = encodeURIComponent(`podstep ${host}`.trim())
  return `otpauth://totp/${issuer}:${encodeURIComponent(username)}?secret=${secret}&issuer=${issuer}`
}
