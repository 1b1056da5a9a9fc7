import type { ImportSource } from '../../domain/transfer/records.ts'
import { allowedPlace, systemResolve } from '../../outbound/address-rules.ts'
import { createGuardedFetch, userAgentOf } from '../../outbound/guarded-fetch.ts'
import { systemClock, systemTimer } from '../../platform/clock.ts'
import { openFile } from '../files/open-file.ts'
import { createServerSource } from '../servers/server-source.ts'
import type { ServerToRead, ToRead } from './protocol.ts'

const clock = systemClock()

export function openSource(toRead: ToRead): ImportSource {
  return 'path' in toRead ? openFile(toRead, clock.seconds) : openServer(toRead)
}

function openServer({ server, version, importAllowPrivate }: ServerToRead): ImportSource {
  const fetcher = createGuardedFetch({
    userAgent: userAgentOf(version),
    resolve: systemResolve,
    allowed: importAllowPrivate.map(allowedPlace),
    allowedBy: 'import_allow_private',
  })
  return createServerSource({ fetcher, timer: systemTimer, clock }, server)
}
