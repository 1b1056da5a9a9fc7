import { readdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/* Importing this module gives the process the lowest priority, and makes it the first to be killed for its memory. */

const NICENESS = 19
/** Makes Linux kill this process rather than the server when memory runs out. */
const OUT_OF_MEMORY_SCORE = '500'

function tryTo(step: () => void): void {
  try {
    step()
  } catch {
    // Not Linux, or not permitted.
  }
}

tryTo(() => setPriority(NICENESS))
// On Linux, that affects only this thread and those it starts later, so cover existing threads.
tryTo(() => {
  for (const task of readdirSync('/proc/self/task')) setPriority(Number(task), NICENESS)
})
tryTo(() => writeFileSync('/proc/self/oom_score_adj', OUT_OF_MEMORY_SCORE))
