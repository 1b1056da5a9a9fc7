import { DomainError } from '../../domain/shared/errors.ts'
import { errorBody, statusOf } from '../errors.ts'
import { STANDARD_HEADERS } from './send.ts'

/** Seconds. The active server may end at any time, and then the wait is over within one. */
const RETRY_AFTER = 5

const waiting = new DomainError('unavailable', 'this server waits until it can take over from another one')

/** Responses of a server that waits: it is alive, and load balancers send everything to the active one. */
export function respondWhileWaiting(request: Request): Response {
  if (new URL(request.url).pathname === '/healthz')
    return Response.json({ status: 'ok' }, { headers: STANDARD_HEADERS })
  return Response.json(errorBody(waiting), {
    status: statusOf(waiting),
    headers: { ...STANDARD_HEADERS, 'retry-after': String(RETRY_AFTER) },
  })
}
