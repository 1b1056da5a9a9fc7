/** Milliseconds after which a step of a test counts as hanging, also on a small and busy machine. */
export const PATIENCE_MS = 120_000

/** Milliseconds between two questions. Without a pause, processes of the lowest priority would starve. */
const PAUSE_MS = 20

/** Asks until the answer is as wanted, and resolves to it; rejects with what it is instead. */
export async function eventually<T>(ask: () => T | Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    if (performance.now() > end) throw new Error(`it stays at ${Bun.inspect(answer)}`)
    await Bun.sleep(PAUSE_MS)
  }
}
