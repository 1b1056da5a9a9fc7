/** Does something later, once; tests hand in their own. What it returns calls it off. */
export type Timer = (ms: number, then: () => void) => () => void

/** Keeps no program alive that has nothing else to do. */
export const systemTimer: Timer = (ms, then) => {
  const timeout = setTimeout(then, ms).unref()
  return () => clearTimeout(timeout)
}

/** Settles in the next turn of the event loop: whoever has much to do lets waiting requests go first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
