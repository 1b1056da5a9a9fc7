import type { Caller } from '../domain/authentication.ts'
import type { Requester } from '../domain/subscriptions.ts'

export function requesterOf({ user, client }: Caller): Requester {
  return { userId: user.id, client }
}
