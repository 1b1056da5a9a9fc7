import type { Caller } from '../domain/authentication.ts'
import type { Asker } from '../domain/feed-on-demand.ts'
import type { Origins } from './origin.ts'

export function askerOf(request: Request, visitor: Caller | undefined, origins: Origins): Asker {
  return { userId: visitor?.user.id, address: origins.clientAddress(request) }
}
