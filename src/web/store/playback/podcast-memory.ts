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
  const values = new Map<string, T | undefined>()
  /** Podcasts with an unsent change. */
  const unsent = new Set<string>()
  let sending = Promise.resolve()

  return {
    /** Returns the known value. */
    get: (podcast: string): T | undefined => values.get(podcast),

    /** Returns the server's value. Rejects if the server is unreachable. */
    async load(podcast: string): Promise<T | undefined> {
      const before = values.get(podcast)
      await sending
      const found = await find(podcast)
      // A choice made in the meantime takes precedence.
      if (values.get(podcast) === before) values.set(podcast, found)
      return values.get(podcast)
    },

    /** Changes a value. Requests run one at a time, so that the last change wins. */
    change(podcast: string, value: T | undefined): void {
      values.set(podcast, value)
      unsent.add(podcast)
      sending = sending.then(() => (unsent.delete(podcast) ? keep(podcast, values.get(podcast)) : undefined))
    },

    /** Clears all values, for a change of user. */
    forget(): void {
      values.clear()
      unsent.clear()
    },
  }
}
