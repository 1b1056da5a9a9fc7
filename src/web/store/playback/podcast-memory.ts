interface PodcastMemoryParts<T> {
  /** Asks the server for the value of a podcast. Rejects if it cannot be asked. */
  readonly find: (podcast: string) => Promise<T | undefined>
  /** Has the server remember the value of a podcast, or forget it. Never rejects. */
  readonly keep: (podcast: string, value: T | undefined) => Promise<void>
}

export type PodcastMemory<T> = ReturnType<typeof createPodcastMemory<T>>

/** Remembers how each podcast is played. */
export function createPodcastMemory<T>({ find, keep }: PodcastMemoryParts<T>) {
  /** Values that this tab knows; undefined for a podcast without one of its own. */
  const known = new Map<string, T | undefined>()
  /** Podcasts whose value was changed and is not sent yet. */
  const due = new Set<string>()
  let sending = Promise.resolve()

  return {
    /** The value as far as it is known. */
    of: (podcast: string): T | undefined => known.get(podcast),

    /** The value as the server knows it. Rejects if it cannot be asked. */
    async load(podcast: string): Promise<T | undefined> {
      const before = known.get(podcast)
      await sending
      const found = await find(podcast)
      // What was chosen meanwhile is newer.
      if (known.get(podcast) === before) known.set(podcast, found)
      return known.get(podcast)
    },

    /** Values are sent one after the other, so that of several changes the last one stays. */
    change(podcast: string, value: T | undefined): void {
      known.set(podcast, value)
      due.add(podcast)
      sending = sending.then(() => (due.delete(podcast) ? keep(podcast, known.get(podcast)) : undefined))
    },

    /** Another user has signed in. */
    forget(): void {
      known.clear()
      due.clear()
    },
  }
}
