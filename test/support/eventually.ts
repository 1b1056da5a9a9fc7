/** Milliseconds after which a step of a test counts as hanging, even on a small and busy machine. */
export const PATIENCE_MS = 120_000

/** Milliseconds between attempts. Without a pause, processes of the lowest priority would starve. */
const PAUSE_MS = 20

/** Polls until `isWanted`, and resolves to the value; rejects with the last value on timeout. */
export async function eventually<T>(ask: () => T | Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    if (performance.now() > end) throw new Error(`it stays at ${Bun.inspect(answer)}`)
    await Bun.sleep(PAUSE_MS)
  }
}
