import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')

/** The executable under test; `bun run test:system` builds it first. */
const BINARY = join(ROOT, 'dist/podstep')

/** The same for small computers, where `bun run build:all` has made it. */
export const ARM64_BINARY = join(ROOT, 'dist/podstep-linux-arm64')

/** What the executable is made of. */
const SOURCES = ['src', 'migrations', 'package.json', 'bun.lock', 'scripts/build.ts']

/** Why `path` must not be tested: it is missing or made of other sources; undefined when it is good. */
export function staleness(path: string): string | undefined {
  const built = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined) return `${path} is missing`
  const newer = SOURCES.map((name) => newest(join(ROOT, name))).find(({ mtimeMs }) => mtimeMs > built)
  return newer && `${path} is older than ${newer.path}`
}

/** Throws unless there is an executable of the present sources: a green test of an old one would be a lie. */
export function requireBinary(): string {
  const reason = staleness(BINARY)
  if (reason) throw new Error(`${reason}; run "bun run build" first`)
  return BINARY
}

/** The youngest file at or below `path`. */
function newest(path: string): { path: string; mtimeMs: number } {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((file) => join(file.parentPath, file.name))
    : [path]
  return files
    .map((file) => ({ path: file, mtimeMs: statSync(file).mtimeMs }))
    .reduce((one, other) => (other.mtimeMs > one.mtimeMs ? other : one))
}
