/**
 * Does `work` for all of them, so many at once. Settles when nothing is under way any more; after a failure no more is begun, and the
 * first one is thrown.
 */
export async function forEachAtOnce<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  let isFailed = false

  async function worker(): Promise<void> {
    for (let next = iterator.next(); !next.done && !isFailed; next = iterator.next())
      try {
        await work(next.value)
      } catch (error) {
        isFailed = true
        throw error
      }
  }

  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
