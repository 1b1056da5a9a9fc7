import { type CheckResult, hasError } from '../../../domain/server/doctor.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { streamConnection } from '../../live/connection-stream.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/server/doctor.ts'

/** Checks of the server's setup, and of changes that its proxy makes to requests. */
export function doctorRoutes({ doctor, serverInfo, origins, lastUnbelieved }: RouteParts): Route[] {
  return [
    get('/api/2/server/connection', 'anyone', spec.getConnection, ({ request }) => {
      const { isTrusted, header = null, hasAddress, scheme = null, host } = origins.arrivalOf(request)
      const { instance } = serverInfo
      return streamConnection({ instance, header, trusted: isTrusted, has_address: hasAddress, scheme, host })
    }),
    post('/api/admin/doctor', 'admin', spec.examineServer, async ({ request }) => {
      const arrivals = [origins.arrivalOf(request), lastUnbelieved()].filter((arrival) => arrival !== undefined)
      const results = await doctor.examine(arrivals)
      return toExaminationJson(results)
    }),
    get('/api/admin/doctor', 'admin', spec.getExamination, async () => toExaminationJson(await doctor.known())),
  ]
}

function toExaminationJson(results: readonly CheckResult[]) {
  return { ok: !hasError(results), checks: results.map(toCheckJson) }
}

export function toCheckJson({ check, status, code, values, cause = '', command = '', ways = [] }: CheckResult) {
  const { at } = values
  const shown = typeof at === 'number' ? { ...values, at: formatTimestamp(at) } : { ...values }
  return {
    check,
    status,
    code,
    values: shown,
    cause,
    command,
    ways: ways.map((lines) => lines.map((line) => ({ ...line }))),
  }
}
