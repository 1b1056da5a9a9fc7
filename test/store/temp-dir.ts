import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes folders of a test's own; `removeAll` belongs into `afterEach`. */
export function tempDirs(): { make(): string; removeAll(): void } {
  const made: string[] = []
  return {
    make() {
      const dir = mkdtempSync(join(tmpdir(), 'podstep-store-'))
      made.push(dir)
      return dir
    },
    removeAll() {
      for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true })
    },
  }
}
