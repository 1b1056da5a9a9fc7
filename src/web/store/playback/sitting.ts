/** Report on an episode that this browser plays: an action of type `play`, without the device. */
export interface Report {
  readonly podcast: string
  readonly episode: string
  readonly guid?: string
  /** UTC, `YYYY-MM-DDTHH:MM:SS`. */
  readonly timestamp: string
  /** Start of the part played, up to `position`. Both in whole seconds. */
  readonly started: number
  readonly position: number
  /** Length of the episode in seconds, if known. */
  readonly total?: number
}

export interface SittingParts {
  readonly podcast: string
  readonly episode: string
  readonly guid?: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  readonly record: (report: Report) => void
  /** Stores the report to make if the browser exits now; undefined removes it. */
  readonly keep: (draft: Report | undefined) => void
}

/** Milliseconds between reports during playback: how far other devices may lag behind. */
const INTERVAL = 45_000
/** Milliseconds between drafts: the most that is lost if the browser crashes. */
const DRAFT_INTERVAL = 5000

export type Sitting = ReturnType<typeof createSitting>

/**
 * Reports playback of one episode. Each report covers the time since the previous one, so reports of a sitting never
 * overlap. Timestamps strictly increase, because other devices resume from the latest report.
 */
export function createSitting({ podcast, episode, guid, now, record, keep }: SittingParts) {
  /** Start of the unreported part; undefined while paused. */
  let from: number | undefined
  let at = 0
  /** Last position reported in this sitting. */
  let reportedPosition: number | undefined
  let total: number | undefined
  let reportedAt = now()
  let draftedAt = now()
  let hasDraft = false
  let lastSecond = 0
  /** Whether reports are on hold because the position is not one to resume from. */
  let isHeld = false

  /** Returns the Unix second of the next report. It increases even if the clock is set back. */
  function nextSecond(): number {
    return Math.max(Math.floor(now() / 1000), lastSecond + 1)
  }

  /** Whether `milliseconds` have passed since `since`. A clock that was set back counts as yes. */
  function isOver(milliseconds: number, since: number): boolean {
    return Math.abs(now() - since) >= milliseconds
  }

  function toReport(second: number, started: number, position: number): Report {
    return {
      podcast,
      episode,
      ...(guid && { guid }),
      timestamp: new Date(second * 1000).toISOString().slice(0, 19),
      started,
      position,
      ...(total !== undefined && { total }),
    }
  }

  function send(started: number, position: number): void {
    lastSecond = nextSecond()
    reportedAt = now()
    reportedPosition = position
    record(toReport(lastSecond, started, position))
    dropDraft()
  }

  function draft(): void {
    if (from === undefined) return
    draftedAt = now()
    const [started, position] = [toWholeSeconds(from), toWholeSeconds(at)]
    if (position <= started) return
    hasDraft = true
    keep(toReport(nextSecond(), started, position))
  }

  function dropDraft(): void {
    draftedAt = now()
    if (hasDraft) keep(undefined)
    hasDraft = false
  }

  /** Rounds down to whole seconds within the episode. */
  function toWholeSeconds(seconds: number): number {
    return Math.max(0, Math.min(Math.floor(seconds), total ?? Number.POSITIVE_INFINITY))
  }

  /** Reports playback since the last report, unless it is shorter than a second. */
  function report(): void {
    if (from === undefined || isHeld) return
    const started = toWholeSeconds(from)
    const position = toWholeSeconds(at)
    if (position <= started) return
    send(started, position)
    from = position
  }

  return {
    /** Sets the length of the media file. Ignores unknown and infinite lengths. */
    setTotal(seconds: number): void {
      if (Number.isFinite(seconds) && seconds >= 1) total = Math.floor(seconds)
    },

    /** Suspends or resumes reports. The part played while suspended is reported once playback continues. */
    hold(isWanted: boolean): void {
      isHeld = isWanted
    },

    play(position: number): void {
      at = position
      from ??= position
    },

    progress(position: number): void {
      if (from === undefined) return
      at = position
      if (isHeld) return
      if (isOver(INTERVAL, reportedAt)) report()
      else if (isOver(DRAFT_INTERVAL, draftedAt)) draft()
    },

    report,

    pause(): void {
      report()
      from = undefined
    },

    /** Moves to another position, which `settle` reports, or the next report of playback from there. */
    seek(position: number): void {
      report()
      if (from !== undefined) from = position
      at = position
    },

    /** Reports the position after a series of seeks, even while paused. */
    settle(): void {
      const position = toWholeSeconds(at)
      if (isHeld || position === reportedPosition) return
      const started = from === undefined ? position : Math.min(toWholeSeconds(from), position)
      send(started, position)
      if (from !== undefined) from = position
    },

    /** Reports that the episode has played to its end. */
    finish(): void {
      if (isHeld) return
      const end = total ?? toWholeSeconds(at)
      if (end === 0) return
      send(from === undefined ? end : Math.min(toWholeSeconds(from), end), end)
      from = undefined
      at = end
    },
  }
}
