import type { RateLimit } from '../domain/shared/rate-limit.ts'
import type { Log } from '../platform/log.ts'
import type { Origins } from './origin.ts'

export interface ProxyWarningParts {
  readonly origins: Pick<Origins, 'unbelieved'>
  readonly log: Log
  /** Warnings about one peer. */
  readonly perPeer: RateLimit
  /** Warnings in all: any client can send such headers. */
  readonly inAll: RateLimit
}

/**
 * Tells whoever runs the server that its reverse proxy is not in `trusted_proxies`. Otherwise nobody notices that all clients share one
 * address, until the wrong passwords of one of them count for all.
 */
export function createProxyWarning({ origins, log, perPeer, inAll }: ProxyWarningParts): (request: Request) => void {
  return (request) => {
    const claim = origins.unbelieved(request)
    if (claim && perPeer.tryTake(claim.peer) && inAll.tryTake(''))
      log.warn(
        'a header of reverse proxies is not believed: if the peer is your proxy, add it to trusted_proxies',
        claim,
      )
  }
}
