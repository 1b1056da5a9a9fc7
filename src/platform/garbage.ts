import { edenGC } from 'bun:jsc'

/** Parts between two collections: with fewer, what is still in use each time is kept as if it were for long. */
const PARTS = 8

/**
 * For work in parts of some 64 KiB of a request: to be called after each part. Now and then it frees what has been made
 * and dropped meanwhile, which takes about a millisecond. Left to itself the collector waits for 32 MB of it, as much as
 * all else that a server with a few users has in memory.
 */
export function createSweeper(): () => void {
  let parts = 0
  return () => {
    if (++parts % PARTS === 0) edenGC()
  }
}

export function collectGarbage(): void {
  edenGC()
}
