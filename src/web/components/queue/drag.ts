interface Box {
  readonly top: number
  readonly bottom: number
}

/**
 * Returns the new index of the dragged item at `index` when the pointer is at `y`. It moves past each item whose middle
 * the pointer has crossed. `boxes` are the current positions of the items.
 */
export function targetOf(boxes: readonly Box[], index: number, y: number): number {
  const middles = boxes.map(({ top, bottom }) => (top + bottom) / 2)
  const above = middles.findIndex((middle, each) => each < index && y < middle)
  if (above !== -1) return above
  return middles.reduce((last, middle, each) => (each > index && y > middle ? each : last), index)
}
