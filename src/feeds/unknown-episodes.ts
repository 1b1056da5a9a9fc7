import type { FeedEpisode, FingerprintedEpisode } from '../domain/feed-document.ts'
import { quickHash } from '../platform/crypto.ts'

/** Handed over and written at once: so few that requests do not wait for them. */
export const EPISODES_AT_ONCE = 10

/** The episodes whose fingerprints are not in `known`, a JSON array. */
export function* unknownEpisodes(
  episodes: Iterable<FeedEpisode>,
  known: string,
): Generator<FingerprintedEpisode, undefined> {
  const fingerprints: unknown = JSON.parse(known)
  const seen = new Set<unknown>(Array.isArray(fingerprints) ? fingerprints : [])
  for (const episode of episodes) {
    // No text of an episode holds a zero.
    const fingerprint = quickHash(Object.values(episode).join('\0'))
    if (!seen.has(fingerprint)) yield { ...episode, fingerprint }
  }
}
