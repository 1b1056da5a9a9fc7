interface PodcastMemoryParts<T> {
  /** Loads the value of a podcast. Rejects if the server is unreachable. */
  readonly find: (podcast: string) => Promise<T | undefined>
  /** Stores the value of a podcast on the server; undefined removes it. Never rejects. */
  readonly keep: (podcast: string, value: T | undefined) => Promise<void>
}

export type PodcastMemory<T> = ReturnType<typeof createPodcastMemory<T>>

/** Stores a playback setting per podcast. */
export function createPodcastMemory<T>({ find, keep }: PodcastMemoryParts<T>) {
  /** Values known in this tab; undefined for a podcast without its own. */
  const known = new Map<string, T | undefined>()
  /** Podcasts with an unsent change. */
  const due = new Set<string>()
  let sending = Promise.resolve()

  return {
    /** Returns the known value. */
    of: (podcast: string): T | undefined => known.get(podcast),

    /** Returns the server's value. Rejects if the server is unreachable. */
    async load(podcast: string): Promise<T | undefined> {
      const before = known.get(podcast)
      await sending
      const found = await find(podcast)
      // A choice made in the meantime takes precedence.
      if (known.get(podcast) === before) known.set(podcast, found)
      return known.get(podcast)
    },

    /** Changes a value. Requests run one at a time, so that the last change wins. */
    change(podcast: string, value: T | undefined): void {
      known.set(podcast, value)
      due.add(podcast)
      sending = sending.then(() => (due.delete(podcast) ? keep(podcast, known.get(podcast)) : undefined))
    },

    /** Clears all values, for a change of user. */
    forget(): void {
      known.clear()
      due.clear()
    },
  }
}
