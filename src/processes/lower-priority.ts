import { readdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/* Importing this module gives the process the lowest priority, and makes it the first to be killed for its memory. */

const NICENESS = 19
/** Linux ends this process rather than the server when memory runs out. */
const OUT_OF_MEMORY_SCORE = '500'

function tryTo(step: () => void): void {
  try {
    step()
  } catch {
    // Another system, or one that forbids it.
  }
}

tryTo(() => setPriority(NICENESS))
// On Linux that affects this thread and those that it starts later. Others exist already.
tryTo(() => {
  for (const task of readdirSync('/proc/self/task')) setPriority(Number(task), NICENESS)
})
tryTo(() => writeFileSync('/proc/self/oom_score_adj', OUT_OF_MEMORY_SCORE))
