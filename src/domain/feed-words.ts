import type { FeedState } from './admin-ports.ts'
import type { FeedFailureReason } from './feed-ports.ts'
import type { FeedTrace } from './library-ports.ts'

export function stateOf({ checkedAt, failingSince, reason }: FeedTrace): FeedState {
  if (failingSince !== undefined) return reason === 'gone' ? 'gone' : 'failing'
  return checkedAt === undefined ? 'new' : 'ok'
}

/** Why a feed cannot be had, for those who want to hear it. What administrators can do about it is told to administrators. */
export function causeInWords(reason: FeedFailureReason): string {
  return CAUSES[reason]
}

const CAUSES: Readonly<Record<FeedFailureReason, string>> = {
  forbidden: 'The feed is at an address that this server is not allowed to reach.',
  unreachable: 'The feed’s server cannot be reached.',
  timeout: 'The feed’s server takes too long to answer.',
  tls: 'The connection to the feed’s server is not secure: its certificate is not valid.',
  too_large: 'The feed is too large for this server.',
  not_a_feed: 'What is at the address is no podcast feed.',
  gone: 'The feed has been removed for good, its server says.',
  not_found: 'There is nothing at the feed’s address any more.',
  denied: 'The feed’s server wants a password, or a newer address.',
  refused: 'The feed’s server refuses to answer.',
  server_error: 'The feed’s server has a fault of its own.',
  internal: 'This server has a fault of its own; its log has the details.',
}
