/** Does something later, once; tests hand in their own. What it returns calls it off. */
export type Timer = (ms: number, then: () => void) => () => void

/** Keeps no program alive that has nothing else to do. */
export const systemTimer: Timer = (ms, then) => {
  const timeout = setTimeout(then, ms).unref()
  return () => clearTimeout(timeout)
}
