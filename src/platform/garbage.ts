import { edenGC } from 'bun:jsc'

/** Parts between two collections: with fewer, what is still in use each time is kept as if it were for long. */
const PARTS = 8

/** Frees garbage now and then during work in pieces; the collector alone would wait for 32 MB of it. */
export function createSweeper(): () => void {
  let parts = 0
  return () => {
    if (++parts % PARTS === 0) edenGC()
  }
}

export function collectGarbage(): void {
  edenGC()
}
