/** Milliseconds before each attempt. The last value applies to all further ones. */
const DELAYS = [2000, 5000, 10_000, 30_000] as const

interface ReconnectOptions {
  readonly isReachable: () => Promise<boolean>
  /** Schedules `work`. Returns a function that cancels it. */
  readonly later: (milliseconds: number, work: () => void) => () => void
  readonly onReached: () => void
}

/** Polls an unreachable server until it answers again. */
export function createReconnect({ isReachable, later, onReached }: ReconnectOptions) {
  let isLost = false
  let isAsking = false
  let times = 0
  let cancel = () => {}

  function wait(): void {
    cancel()
    cancel = later(DELAYS[Math.min(times++, DELAYS.length - 1)] ?? 0, () => void ask())
  }

  async function ask(): Promise<void> {
    if (!isLost || isAsking) return
    cancel()
    isAsking = true
    const isBack = await isReachable()
    isAsking = false
    if (!isBack) {
      wait()
      return
    }
    isLost = false
    onReached()
  }

  return {
    /** Must be called when a request fails to reach the server. Starts polling. */
    lost(): void {
      if (isLost) return
      isLost = true
      times = 0
      wait()
    },
    /** Polls at once if the server was unreachable, such as when the browser goes online. */
    ask,
  }
}
