/** Returns the index of the menu item that a key moves to, by position or first letter; `undefined` for other keys. */
export function itemByKey(key: string, current: number, texts: readonly string[]): number | undefined {
  const { length } = texts
  if (length === 0) return undefined
  if (key === 'Home') return 0
  if (key === 'End') return length - 1
  if (key === 'ArrowDown' || key === 'ArrowRight') return (current + 1) % length
  if (key === 'ArrowUp' || key === 'ArrowLeft') return (Math.max(current, 0) - 1 + length) % length
  if ([...key].length !== 1 || key === ' ') return undefined
  const letter = key.toLowerCase()
  const order = texts.map((_, index) => (current + 1 + index + length) % length)
  return order.find((index) => texts[index]?.trim().toLowerCase().startsWith(letter))
}
