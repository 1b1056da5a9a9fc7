import { readdirSync, readFileSync } from 'node:fs'

/* What Linux says of processes. */

/** The processes that `pid` has started and that are there. */
export function childrenOf(pid: number | 'self'): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => textOf(`/proc/${pid}/task/${task}/children`).split(' '))
    .filter((text) => text !== '')
    .map(Number)
}

/** Nothing for a thread or a process that has just ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export function isThere(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // A process that has ended is a zombie until its parent has asked for its exit code.
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z'
  } catch {
    return false
  }
}

/** The niceness of each thread; the fields are counted from behind its name, which may hold anything. */
export function nicenessOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((task) => {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
}
