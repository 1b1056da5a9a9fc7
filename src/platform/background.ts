/** Work that nobody's answer waits for, but a test and an orderly stop do. */
export interface Background {
  /** Begins at once; a failure goes to the log. */
  run(work: () => Promise<unknown>): void
  /** Settles when nothing is under way any more. */
  idle(): Promise<void>
}

export function createBackground(onFailure: (error: unknown) => void): Background {
  const underWay = new Set<Promise<unknown>>()
  return {
    run(work) {
      const done: Promise<unknown> = work()
        .catch(onFailure)
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
