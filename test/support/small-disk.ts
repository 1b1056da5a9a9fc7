import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk extends Disposable {
  readonly path: string
  /** Settings of a server that keeps its data there. */
  readonly env: Record<string, string>
}

/** Mounts a small file system; `undefined` unless root runs the tests. */
export function mountSmallDisk(megabytes = 3): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'podstep-disk-'))
  const unmount = () => {
    // The feed worker may end a moment after the server.
    Bun.spawnSync(['umount', '--lazy', path], { stderr: 'ignore' })
    rmSync(path, { recursive: true })
  }
  const mount = ['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', path]
  if (Bun.which('mount') !== null && Bun.spawnSync(mount, { stderr: 'ignore' }).success)
    return { path, env: { SVC_DATA_DIR: path, SVC_RATE_LIMIT: 'false' }, [Symbol.dispose]: unmount }
  rmSync(path, { recursive: true })
  return undefined
}

/** Fills the disk; returns a function that frees it. */
export function fill(disk: SmallDisk): () => void {
  const filler = join(disk.path, 'filler')
  const file = openSync(filler, 'a')
  try {
    for (let size = 65_536; size > 0; size = Math.floor(size / 2)) while (write(file, size));
  } finally {
    closeSync(file)
  }
  return () => rmSync(filler)
}

function write(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) === size
  } catch {
    return false
  }
}
