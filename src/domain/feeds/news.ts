import type { FeedFailure, FeedTrace } from './ports.ts'

const DAY = 24 * 3600
/** Maximum age of news in seconds. Older episodes are not news, even if the feed lists them only now. */
const NEWS_AGE = 30 * DAY
/** Seconds of failures before one is reported, since many feeds fail now and then. */
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

/** Whether to report a failure: the first that says the feed is gone, or the first after a day of failures. */
export function isReportableFailure(before: FeedTrace, { at, reason }: Pick<FeedFailure, 'at' | 'reason'>): boolean {
  const { failingSince, checkedAt = at } = before
  const wasReported =
    failingSince !== undefined && (before.reason === 'gone' || checkedAt - failingSince >= FAILING_AGE)
  return !wasReported && (reason === 'gone' || at - (failingSince ?? at) >= FAILING_AGE)
}
