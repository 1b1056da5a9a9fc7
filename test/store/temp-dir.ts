import { afterEach } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates temporary folders, which are removed after each test. */
export function tempDirs(): { make(): string } {
  const made: string[] = []
  afterEach(() => {
    for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true })
  })
  return {
    make() {
      const dir = mkdtempSync(join(tmpdir(), 'podstep-store-'))
      made.push(dir)
      return dir
    },
  }
}
