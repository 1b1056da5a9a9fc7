import { DomainError } from './errors.ts'
import { createUrlRewriter, isBlank } from './feed-url.ts'
import { FEEDS_PER_REQUEST, tooManyFeeds } from './request-limits.ts'

/** An upload of changes as the client wrote it. */
export interface UploadedChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** The same in stored URLs: each at most once, in order of appearance, none in both lists. */
export interface ChangePlan {
  add: string[]
  remove: string[]
  updateUrls: [string, string][]
}

/**
 * What an upload means (protocol.md 8.4). Two spellings of one feed in both lists: the add wins.
 * Throws validation_failed if the very same text is in both, payload_too_large for too many feeds.
 */
export function planChange(body: UploadedChange): ChangePlan {
  if (body.add.length + body.remove.length > FEEDS_PER_REQUEST) throw tooManyFeeds()
  const removed = new Set(body.remove)
  // Blank entries are dropped before anything else, so they cannot clash.
  if (body.add.some((raw) => removed.has(raw) && !isBlank(raw))) {
    throw new DomainError('validation_failed', 'the same URL must not be in add and remove')
  }
  const urls = createUrlRewriter()
  const add = distinct(body.add, urls.rewrite)
  const remove = distinct(body.remove, urls.rewrite)
  for (const url of add) remove.delete(url)
  return { add: [...add], remove: [...remove], updateUrls: urls.updateUrls() }
}

function distinct(raws: readonly string[], rewrite: (raw: string) => string | undefined): Set<string> {
  const found = new Set<string>()
  for (const raw of raws) {
    const url = rewrite(raw)
    if (url !== undefined) found.add(url)
  }
  return found
}
