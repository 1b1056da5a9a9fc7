import { DomainError, invalid } from './errors.ts'
import { sanitizeUrl } from './feed-url.ts'
import type { PodcastStore } from './ports.ts'

export interface Feeds {
  /** Throws `unavailable`. */
  refreshAll(): Promise<never>
  /** Throws `validation_failed`, `unknown_podcast`, `unavailable`. */
  refresh(url: string): Promise<never>
}

/** What administrators can ask of feeds. This version of the server knows their addresses only: it fetches none yet, and says so. */
export function createFeeds(podcasts: PodcastStore): Feeds {
  return {
    async refreshAll() {
      throw cannotFetch()
    },
    async refresh(given) {
      const url = sanitizeUrl(given)
      if (url === undefined) throw invalid('url', 'url must be the address of a feed')
      if (!(await podcasts.isKnown(url))) throw new DomainError('unknown_podcast', 'the server knows no such podcast')
      throw cannotFetch()
    },
  }
}

function cannotFetch(): DomainError {
  return new DomainError('unavailable', 'this version does not fetch feeds yet')
}
