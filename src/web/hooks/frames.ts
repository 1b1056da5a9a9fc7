/** Does `work` in a turn of its own after the next frame has been painted. Pages that nobody sees have no frames. */
export function afterFrame(work: () => void): () => void {
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = () => {
    timer = setTimeout(work)
  }
  if (document.hidden) later()
  else frame = requestAnimationFrame(later)
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

/** Does `work` after each frame until it returns false or is stopped. */
export function eachFrame(work: () => boolean): () => void {
  let stop = afterFrame(step)
  function step(): void {
    if (work()) stop = afterFrame(step)
  }
  return () => stop()
}
