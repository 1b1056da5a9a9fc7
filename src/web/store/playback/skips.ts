/** Seconds to skip at either end of a podcast's episodes (docs/protocol.md#D120). */
export interface Skips {
  readonly intro: number
  readonly outro: number
}

export const NO_SKIPS: Skips = { intro: 0, outro: 0 }

export const SKIP_CHOICES = [0, 5, 10, 15, 20, 30, 45, 60, 90, 120] as const

const SKIP_MAX = 600
/** Seconds; a larger step between two positions is a seek, not playback. */
const STEP_MAX = 10

/** Validates stored values, which any app may have written. */
export function toSkips(intro: unknown, outro: unknown): Skips {
  return { intro: toSkip(intro), outro: toSkip(outro) }
}

function toSkip(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= SKIP_MAX ? value : 0
}

/** Returns the start position of an unplayed episode. `total` is its length in seconds, 0 if unknown. */
export function startAfter({ intro, outro }: Skips, total: number): number {
  return total > 0 && intro + outro >= total ? 0 : intro
}

/** Whether playback has reached the outro. Seeking into the outro does not count, since the user wants to hear it. */
export function isOutroReached({ outro }: Skips, before: number, at: number, total: number): boolean {
  const edge = total - outro
  return outro > 0 && edge > 0 && before < edge && at >= edge && at - before <= STEP_MAX
}
