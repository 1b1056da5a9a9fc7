import type { FeedFailure, FeedTrace } from './ports.ts'

const DAY = 24 * 3600
/** Seconds; what was released before is not new, though the feed tells it only now. */
const NEWS_AGE = 30 * DAY
/** Seconds; many feeds fail now and then. */
const FAILING_AGE = DAY

/** Whether a first-seen episode is news. Episodes from before `knownSince` are not. */
export function isNewEpisode(
  { released }: { released?: number | undefined },
  at: number,
  knownSince: number | undefined,
): boolean {
  if (released === undefined) return knownSince === undefined
  return released >= Math.max(at - NEWS_AGE, knownSince ?? 0)
}

/** Whether a failure is the one to tell: the first that says the feed is gone, or the first after a day of failures. */
export function isFailureToTell(before: FeedTrace, { at, reason }: Pick<FeedFailure, 'at' | 'reason'>): boolean {
  const { failingSince, checkedAt = at } = before
  const wasTold = failingSince !== undefined && (before.reason === 'gone' || checkedAt - failingSince >= FAILING_AGE)
  return !wasTold && (reason === 'gone' || at - (failingSince ?? at) >= FAILING_AGE)
}
