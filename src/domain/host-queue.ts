/** Work on many hosts: so many at once in all, and so many with one host. */
export interface HostQueue {
  /** Settles as `work` does, once its turn has come; what is urgent goes before all that waits. */
  run<T>(host: string, work: () => Promise<T>, isUrgent?: boolean): Promise<T>
}

interface Waiting {
  readonly host: string
  readonly start: () => void
}

export function createHostQueue({ atOnce, perHost }: { atOnce: number; perHost: number }): HostQueue {
  const running = new Map<string, number>()
  let total = 0
  let waiting: Waiting[] = []
  let isScheduled = false

  function mayStart(host: string): boolean {
    return total < atOnce && (running.get(host) ?? 0) < perHost
  }

  /** One in each turn of the event loop, so that requests come in between. */
  function startNext(): void {
    if (isScheduled || waiting.length === 0 || total >= atOnce) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      const next = waiting.find(({ host }) => mayStart(host))
      if (!next) return
      waiting = waiting.filter((each) => each !== next)
      next.start()
      startNext()
    })
  }

  function take(host: string): void {
    total++
    running.set(host, (running.get(host) ?? 0) + 1)
  }

  function giveBack(host: string): void {
    total--
    const left = (running.get(host) ?? 1) - 1
    if (left > 0) running.set(host, left)
    else running.delete(host)
    startNext()
  }

  return {
    async run(host, work, isUrgent = false) {
      await new Promise<void>((resolve) => {
        const turn = {
          host,
          start() {
            take(host)
            resolve()
          },
        }
        if (isUrgent) waiting.unshift(turn)
        else waiting.push(turn)
        startNext()
      })
      try {
        return await work()
      } finally {
        giveBack(host)
      }
    },
  }
}
