import type { ImportSource } from '../../domain/transfer/records.ts'
import { allowedPlace, systemResolve } from '../../outbound/address-rules.ts'
import { createGuardedFetch, userAgentOf } from '../../outbound/guarded-fetch.ts'
import { systemClock, systemTimer } from '../../platform/clock.ts'
import { openFile } from '../files/open-file.ts'
import { createServerSource } from '../servers/server-source.ts'
import type { ReaderInput, ServerInput } from './protocol.ts'

const clock = systemClock()

export function openSource(input: ReaderInput): ImportSource {
  return 'path' in input ? openFile(input, clock.seconds) : openServer(input)
}

function openServer({ server, version, importAllowPrivate }: ServerInput): ImportSource {
  const fetcher = createGuardedFetch({
    userAgent: userAgentOf(version),
    resolve: systemResolve,
    allowed: importAllowPrivate.map(allowedPlace),
    allowedBy: 'import_allow_private',
  })
  return createServerSource({ fetcher, timer: systemTimer, clock }, server)
}
