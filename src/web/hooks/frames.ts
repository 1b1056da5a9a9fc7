const waiting = new Set<() => void>()
let isScheduled = false

/**
 * Does `work` in a turn of its own after a frame has been painted, one piece of work per frame: several parts of a page
 * that wait for the next frame would otherwise be drawn in one long task. Hidden pages have no frames.
 */
export function afterFrame(work: () => void): () => void {
  const turn = () => work()
  waiting.add(turn)
  schedule()
  return () => waiting.delete(turn)
}

function schedule(): void {
  if (isScheduled || waiting.size === 0) return
  isScheduled = true
  const later = () => setTimeout(runNext)
  if (document.hidden) later()
  else requestAnimationFrame(later)
}

function runNext(): void {
  isScheduled = false
  const [next] = waiting
  if (next) waiting.delete(next)
  schedule()
  next?.()
}

/** Does `work` after each frame until it returns false or is stopped. */
export function eachFrame(work: () => boolean): () => void {
  let stop = afterFrame(step)
  function step(): void {
    if (work()) stop = afterFrame(step)
  }
  return () => stop()
}
