const waiting = new Set<() => void>()
let isScheduled = false

/**
 * Runs `work` in a separate task after the next frame, one call per frame. Otherwise parts of a page that wait for the
 * next frame would all render in one long task. Hidden pages have no frames. Returns a function that cancels it.
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

/** Runs `work` after each frame until it returns false. Returns a function that stops it. */
export function eachFrame(work: () => boolean): () => void {
  let stop = afterFrame(step)
  function step(): void {
    if (work()) stop = afterFrame(step)
  }
  return () => stop()
}
