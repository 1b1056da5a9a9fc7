import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Folder = ReturnType<typeof emptyFolder>

/** An empty folder, deleted at the end of the block. */
export function emptyFolder() {
  const path = mkdtempSync(join(tmpdir(), 'podstep-test-'))
  return {
    path,
    /** The path of a file in the folder. Writes `text` to it, if given. */
    file(name: string, text?: string) {
      const file = join(path, name)
      if (text !== undefined) writeFileSync(file, text)
      return file
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
