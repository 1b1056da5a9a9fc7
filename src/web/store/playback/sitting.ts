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
}

/** Milliseconds between reports while an episode plays, so that little is lost when the browser ends without a word. */
const INTERVAL = 45_000

export type Sitting = ReturnType<typeof createSitting>

/**
 * Makes reports of what happens to one episode in the player. Each tells of what was played since the report before:
 * reports of one sitting never overlap, and their times differ and grow, since the latest one decides where other devices
 * go on.
 */
export function createSitting({ podcast, episode, guid, now, record }: SittingParts) {
  /** Where what has not been reported yet began; undefined while nothing plays. */
  let from: number | undefined
  let at = 0
  /** The position that other devices know, as far as this sitting has told them. */
  let told: number | undefined
  let total: number | undefined
  let reportedAt = now()
  let lastSecond = 0

  function send(started: number, position: number): void {
    const second = Math.max(Math.floor(now() / 1000), lastSecond + 1)
    lastSecond = second
    reportedAt = now()
    told = position
    record({
      podcast,
      episode,
      ...(guid && { guid }),
      timestamp: new Date(second * 1000).toISOString().slice(0, 19),
      started,
      position,
      ...(total !== undefined && { total }),
    })
  }

  /** Whole seconds, inside of the episode. */
  function whole(seconds: number): number {
    return Math.max(0, Math.min(Math.floor(seconds), total ?? Number.POSITIVE_INFINITY))
  }

  /** Reports what was played since the last report, if that was a second at least. */
  function report(): void {
    if (from === undefined) return
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

    /** Playing begins or goes on. */
    play(position: number): void {
      at = position
      from ??= position
    },

    /** Playing has come this far. */
    progress(position: number): void {
      if (from === undefined) return
      at = position
      if (now() - reportedAt >= INTERVAL) report()
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
      if (position === told) return
      const started = from === undefined ? position : Math.min(whole(from), position)
      send(started, position)
      if (from !== undefined) from = position
    },

    /** The episode was played to its end. */
    finish(): void {
      const end = total ?? whole(at)
      if (end === 0) return
      send(from === undefined ? end : Math.min(whole(from), end), end)
      from = undefined
      at = end
    },
  }
}
