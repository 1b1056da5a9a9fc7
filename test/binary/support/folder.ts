import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Folder extends Disposable {
  readonly path: string
  /** The path of a file in the folder, written first if there is text for it. */
  file(name: string, text?: string): string
}

/** An empty folder that is gone at the end of the block. */
export function emptyFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'podstep-test-'))
  return {
    path,
    file(name, text) {
      const file = join(path, name)
      if (text !== undefined) writeFileSync(file, text)
      return file
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
