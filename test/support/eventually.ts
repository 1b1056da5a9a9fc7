/** Milliseconds that anything may take on a small and busy machine. */
const PATIENCE = 60_000

/** Milliseconds between two questions. Who asks without a pause keeps waiting what runs with the lowest priority. */
const PAUSE = 20

/** Asks until the answer is as wanted, and resolves to it; rejects with what it is instead. */
export async function eventually<T>(ask: () => T | Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + PATIENCE
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    if (performance.now() > end) throw new Error(`it stays at ${Bun.inspect(answer)}`)
    await Bun.sleep(PAUSE)
  }
}
