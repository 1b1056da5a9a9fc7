import process from 'node:process'

/*
 * A thread of the process that reads an import. It ends the process when that takes too much memory, or when the server
 * has ended. The thread that reads could not do so while it computes, and limits of the system (`RLIMIT_AS`,
 * `RLIMIT_DATA`) count the gigabytes that the runtime only reserves.
 */

/** Resident memory in bytes. A burst grows by some 20 MiB between two looks, which leaves it below 256 MiB. */
const MEMORY_MAX = 224 * 1024 * 1024
const LOOK_MS = 10

const server = process.ppid

setInterval(() => {
  if (process.memoryUsage.rss() > MEMORY_MAX || process.ppid !== server) process.kill(process.pid, 'SIGKILL')
}, LOOK_MS)
