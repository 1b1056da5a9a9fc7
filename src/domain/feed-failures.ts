import { DomainError, type ErrorWord } from './errors.ts'
import type { FeedAnswer, FeedFailureReason } from './feed-ports.ts'

/** A feed that could not be had, told to somebody who asked for it (protocol.md D51, 18.7). */
export function failureOf({ reason, message }: FeedAnswer & { kind: 'failed' }): DomainError {
  return new DomainError(wordOf(reason), message)
}

function wordOf(reason: FeedFailureReason): ErrorWord {
  if (reason === 'internal') return 'internal'
  if (reason === 'forbidden') return 'feed_forbidden'
  return reason === 'not_a_feed' ? 'feed_invalid' : 'feed_unreachable'
}
