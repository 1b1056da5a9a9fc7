/** Milliseconds until the server is asked again whether it can be reached; the last one for all further times. */
const DELAYS = [2000, 5000, 10_000, 30_000] as const

interface ReconnectOptions {
  readonly isReachable: () => Promise<boolean>
  /** Runs `work` after some milliseconds, unless the function that it returns is called first. */
  readonly later: (milliseconds: number, work: () => void) => () => void
  readonly onReached: () => void
}

/** Finds out when a server that could not be reached answers again. */
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
    /** Called whenever a request did not reach the server: asks from now on until it answers. */
    lost(): void {
      if (isLost) return
      isLost = true
      times = 0
      wait()
    },
    /** Asks at once, because the network is said to be back. */
    ask,
  }
}
