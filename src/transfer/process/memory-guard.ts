import process from 'node:process'

/*
 * A thread of the process that reads an import. It ends the process if that takes too much memory, or if the server has
 * exited. The reading thread cannot do so while it is computing, and limits of the system (`RLIMIT_AS`, `RLIMIT_DATA`)
 * include the gigabytes that the runtime only reserves.
 */

/** Resident memory in bytes. A burst adds about 20 MiB between two checks, which stays below 256 MiB. */
const MEMORY_MAX = 224 * 1024 * 1024
const CHECK_INTERVAL_MS = 10

const server = process.ppid

setInterval(() => {
  if (process.memoryUsage.rss() > MEMORY_MAX || process.ppid !== server) process.kill(process.pid, 'SIGKILL')
}, CHECK_INTERVAL_MS)
