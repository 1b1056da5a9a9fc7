export type Background = ReturnType<typeof createBackground>

/** Tracks work that no response waits for, so that tests and an orderly stop can. */
export function createBackground(onFailure: (error: unknown) => void) {
  const underWay = new Set<Promise<unknown>>()
  return {
    run(work: () => Promise<unknown>): void {
      const done: Promise<unknown> = work()
        .catch(onFailure)
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async idle(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
