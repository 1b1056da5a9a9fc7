import type { Clock } from '../../platform/clock.ts'
import { invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { fixedQuotaExceeded, QUEUE_MAX } from '../shared/limits.ts'
import type { ListedEpisode } from './ports/inbox.ts'
import type { QueuedEpisode, QueueStore } from './ports/queue.ts'

export type Queue = ReturnType<typeof createQueue>

/** A user's listening queue (docs/protocol.md#queue). */
export function createQueue(store: QueueStore, clock: Clock) {
  return {
    list: (userId: UserId): Promise<readonly ListedEpisode[]> => store.list(userId),

    /** Throws `validation_failed`, `quota_exceeded`. */
    async replace(userId: UserId, episodes: readonly QueuedEpisode[]): Promise<void> {
      await store.update(userId, parseEpisodes(episodes), clock.seconds(), (_queued, named) => withinQuota(named))
    },

    /** Adds or moves episodes to the front or the end of the queue. Throws like `replace`. */
    async add(userId: UserId, episodes: readonly QueuedEpisode[], at: 'next' | 'last'): Promise<void> {
      await store.update(userId, parseEpisodes(episodes), clock.seconds(), (queued, named) => {
        const others = queued.filter((id) => !named.includes(id))
        return withinQuota(at === 'next' ? [...named, ...others] : [...others, ...named])
      })
    },

    /** Appends missing episodes until the queue is full. Returns the numbers of added and of omitted ones. */
    async append(
      userId: UserId,
      episodes: readonly QueuedEpisode[],
    ): Promise<{ readonly added: number; readonly omitted: number }> {
      let result = { added: 0, omitted: 0 }
      await store.update(userId, parseEpisodes(episodes), clock.seconds(), (queued, named) => {
        const missing = named.filter((id) => !queued.includes(id))
        const all = [...queued, ...missing].slice(0, QUEUE_MAX)
        result = { added: all.length - queued.length, omitted: queued.length + missing.length - all.length }
        return all
      })
      return result
    },

    /** Does nothing if the episode is not in the queue. Throws `validation_failed`. */
    async remove(userId: UserId, episode: QueuedEpisode): Promise<void> {
      await store.remove(userId, parseEpisode(episode, 'podcast', 'episode'))
    },

    clear: (userId: UserId): Promise<void> => store.remove(userId),
  }
}

function withinQuota(ids: readonly number[]): readonly number[] {
  if (ids.length > QUEUE_MAX) throw fixedQuotaExceeded(QUEUE_MAX, 'episodes in the queue')
  return ids
}

function parseEpisodes(episodes: readonly QueuedEpisode[]): QueuedEpisode[] {
  if (episodes.length > QUEUE_MAX) throw invalid('episodes', `episodes must be ${QUEUE_MAX} at most`)
  return episodes.map((each, index) =>
    parseEpisode(each, `episodes[${index}].podcast`, `episodes[${index}].episode`, 'episodes'),
  )
}

/** Throws `validation_failed` for `field`; the two names identify the URL in the message. */
function parseEpisode(raw: QueuedEpisode, podcastName: string, episodeName: string, field?: string): QueuedEpisode {
  const podcast = sanitizeUrl(raw.podcast)
  const episode = sanitizeUrl(raw.episode)
  if (podcast === undefined) throw invalid(field ?? 'podcast', `${podcastName} must be a URL`)
  if (episode === undefined) throw invalid(field ?? 'episode', `${episodeName} must be a URL`)
  return { podcast, episode }
}
