/** Position of the focus: index of the card and of the control in the card. */
export interface Place {
  readonly card: number
  readonly control: number
}

/**
 * Returns the place that a key moves to: Left and Right move to the same control of the next card, Up and Down to
 * another control of the card, Home and End to the first and last card. `counts` holds the number of controls of each
 * card. Returns `undefined` for other keys and at the ends.
 */
export function placeByKey(
  key: string,
  { card, control }: Place,
  counts: readonly number[],
  isRightToLeft: boolean,
): Place | undefined {
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const next = control + (key === 'ArrowDown' ? 1 : -1)
    return next >= 0 && next < (counts[card] ?? 0) ? { card, control: next } : undefined
  }
  const next = cardByKey(key, card, counts.length, isRightToLeft)
  const controls = next === undefined ? 0 : (counts[next] ?? 0)
  // The next card may have fewer controls.
  return next !== undefined && controls > 0 ? { card: next, control: Math.min(control, controls - 1) } : undefined
}

function cardByKey(key: string, card: number, count: number, isRightToLeft: boolean): number | undefined {
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined
  return card + ((key === 'ArrowRight') === isRightToLeft ? -1 : 1)
}
