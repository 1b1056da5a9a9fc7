import { readdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/* Importing this makes the process the last one to get a processor and the first one to go. */

const NICENESS = 19
/** Should memory run out, Linux is to end this process and not the server. */
const OUT_OF_MEMORY_SCORE = '500'

/** Where it may not be done it goes without. */
function tryTo(step: () => void): void {
  try {
    step()
  } catch {
    // Another system, or one that forbids it.
  }
}

tryTo(() => setPriority(NICENESS))
// On Linux that was about this thread, and about those that it begins later; some are there already.
tryTo(() => {
  for (const task of readdirSync('/proc/self/task')) setPriority(Number(task), NICENESS)
})
tryTo(() => writeFileSync('/proc/self/oom_score_adj', OUT_OF_MEMORY_SCORE))
