/** Settles in the next turn of the event loop: whoever has much to do lets waiting requests go first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
