import { edenGC } from 'bun:jsc'

/** Parts between two collections: with fewer, objects still in use are soon promoted as long-lived. */
const PARTS = 8

/** Frees garbage periodically during work in pieces; the collector alone would wait for 32 MB. */
export function createSweeper(): () => void {
  let parts = 0
  return () => {
    if (++parts % PARTS === 0) edenGC()
  }
}

export function collectGarbage(): void {
  edenGC()
}
