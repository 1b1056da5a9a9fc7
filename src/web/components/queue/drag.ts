interface Box {
  readonly top: number
  readonly bottom: number
}

/**
 * The index to which the item at `index` is dragged when the pointer is at `y`: beyond each item of which the pointer has
 * passed the middle. `boxes` are where the items are at present.
 */
export function targetOf(boxes: readonly Box[], index: number, y: number): number {
  const middles = boxes.map(({ top, bottom }) => (top + bottom) / 2)
  const above = middles.findIndex((middle, each) => each < index && y < middle)
  if (above !== -1) return above
  return middles.reduce((last, middle, each) => (each > index && y > middle ? each : last), index)
}
