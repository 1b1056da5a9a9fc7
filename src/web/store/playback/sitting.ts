/** What this browser tells about an episode that it plays: an action of the kind `play`, without the device. */
export interface Report {
  readonly podcast: string
  readonly episode: string
  readonly guid?: string
  /** When it happened, in UTC: `YYYY-MM-DDTHH:MM:SS`. */
  readonly timestamp: string
  /** Whole seconds of the episode: what was heard is between the two. */
  readonly started: number
  readonly position: number
  /** The length of the episode, if the browser knows it. */
  readonly total?: number
}

export interface SittingParts {
  readonly podcast: string
  readonly episode: string
  readonly guid?: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  readonly record: (report: Report) => void
  /** Keeps what would be reported if the browser ended now; undefined if that is nothing. */
  readonly keep: (draft: Report | undefined) => void
}

/** Milliseconds between reports while an episode plays, after which other devices know where it is. */
const INTERVAL = 45_000
/** Milliseconds between drafts, which is all that is lost when the browser ends without a word. */
const DRAFT_INTERVAL = 5000

export type Sitting = ReturnType<typeof createSitting>

/**
 * Makes reports of what happens to one episode in the player. Each tells of what was played since the report before:
 * reports of one sitting never overlap, and their times differ and grow, since the latest one decides where other devices
 * go on.
 */
export function createSitting({ podcast, episode, guid, now, record, keep }: SittingParts) {
  /** Where what has not been reported yet began; undefined while nothing plays. */
  let from: number | undefined
  let at = 0
  /** The position that other devices know, as far as this sitting has told them. */
  let told: number | undefined
  let total: number | undefined
  let reportedAt = now()
  let draftedAt = now()
  let hasDraft = false
  let lastSecond = 0
  /** Whether what is heard says nothing of where to go on, so that it is not reported yet. */
  let isHeld = false

  /** The second of the next report, also when the clock is set back. */
  function nextSecond(): number {
    return Math.max(Math.floor(now() / 1000), lastSecond + 1)
  }

  /** Whether a time has passed since. A clock that is set says nothing about that, and counts as yes. */
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
    told = position
    record(toReport(lastSecond, started, position))
    dropDraft()
  }

  function draft(): void {
    if (from === undefined) return
    draftedAt = now()
    const [started, position] = [whole(from), whole(at)]
    if (position <= started) return
    hasDraft = true
    keep(toReport(nextSecond(), started, position))
  }

  function dropDraft(): void {
    draftedAt = now()
    if (hasDraft) keep(undefined)
    hasDraft = false
  }

  /** Whole seconds, inside of the episode. */
  function whole(seconds: number): number {
    return Math.max(0, Math.min(Math.floor(seconds), total ?? Number.POSITIVE_INFINITY))
  }

  /** Reports what was played since the last report, if that was a second at least. */
  function report(): void {
    if (from === undefined || isHeld) return
    const started = whole(from)
    const position = whole(at)
    if (position <= started) return
    send(started, position)
    from = position
  }

  return {
    /** Tells the length of the media file once it is known. */
    setTotal(seconds: number): void {
      if (Number.isFinite(seconds) && seconds >= 1) total = Math.floor(seconds)
    },

    /** While held, nothing is reported. What was heard until then is reported later if it goes on. */
    hold(isWanted: boolean): void {
      isHeld = isWanted
    },

    /** Playing begins or goes on. */
    play(position: number): void {
      at = position
      from ??= position
    },

    /** Playing has come this far. */
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

    /** Playing goes on elsewhere in the episode. The new place is reported by `settle`, or with what is heard there. */
    seek(position: number): void {
      report()
      if (from !== undefined) from = position
      at = position
    },

    /** The user has stopped looking for a place: other devices are to know it, whether it is played or not. */
    settle(): void {
      const position = whole(at)
      if (isHeld || position === told) return
      const started = from === undefined ? position : Math.min(whole(from), position)
      send(started, position)
      if (from !== undefined) from = position
    },

    /** The episode was played to its end. */
    finish(): void {
      if (isHeld) return
      const end = total ?? whole(at)
      if (end === 0) return
      send(from === undefined ? end : Math.min(whole(from), end), end)
      from = undefined
      at = end
    },
  }
}
