import { DomainError } from '../../domain/shared/errors.ts'
import { errorBody, statusOf } from '../errors.ts'
import { STANDARD_HEADERS } from './send.ts'

/** Seconds. The active server may end at any time, and this one then takes over within a second. */
const RETRY_AFTER = 5

const waiting = new DomainError('unavailable', 'this server is on standby for another one')

/** Responses of a waiting server: it is alive, but load balancers send all requests to the active one. */
export function respondWhileWaiting(request: Request): Response {
  if (new URL(request.url).pathname === '/healthz')
    return Response.json({ status: 'ok' }, { headers: STANDARD_HEADERS })
  return Response.json(errorBody(waiting), {
    status: statusOf(waiting),
    headers: { ...STANDARD_HEADERS, 'retry-after': String(RETRY_AFTER) },
  })
}
