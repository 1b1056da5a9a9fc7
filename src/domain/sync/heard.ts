export interface Stretch {
  readonly from: number
  readonly to: number
}

/** Nobody hears more than that without a device that reports; a longer stretch is a mistake. */
const STRETCH_MAX = 12 * 3600

/** What a play action says that was heard; undefined if it says nothing, or nothing that can be true. */
export function heardStretch(started: number, position: number, total: number | undefined): Stretch | undefined {
  const seconds = position - started
  const longest = total === undefined || total <= 0 ? STRETCH_MAX : Math.min(total, STRETCH_MAX)
  return started >= 0 && seconds > 0 && seconds <= longest ? { from: started, to: position } : undefined
}
