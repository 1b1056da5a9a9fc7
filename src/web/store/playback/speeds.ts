export const SPEEDS = [0.8, 1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.5, 3] as const

/** Seconds that one press goes back or forward. */
export const BACK = 15
export const FORWARD = 30

/** The next slower (-1) or faster (1) speed; the same at both ends. */
export function speedNextTo(speed: number, by: 1 | -1): number {
  const index = SPEEDS.findIndex((each) => each >= speed)
  return SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index + by))] ?? speed
}
