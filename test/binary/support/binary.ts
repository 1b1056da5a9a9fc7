import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')

/** The executable under test; `bun run test:system` builds it first. */
const BINARY = join(ROOT, 'dist/podstep')

/** Built by `bun run build:all` only. */
export const ARM64_BINARY = join(ROOT, 'dist/podstep-linux-arm64')

const SOURCES = ['src', 'migrations', 'package.json', 'bun.lock', 'scripts/build.ts']

/** Why the executable at `path` cannot be tested: it is missing or out of date. `undefined` if it is up to date. */
export function staleness(path: string): string | undefined {
  const built = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined) return `${path} is missing`
  const newer = SOURCES.map((name) => newest(join(ROOT, name))).find(({ mtimeMs }) => mtimeMs > built)
  return newer && `${path} is older than ${newer.path}`
}

/** The path of the executable. Throws if it is out of date, since its tests would prove nothing. */
export function requireBinary(): string {
  const reason = staleness(BINARY)
  if (reason) throw new Error(`${reason}; run "bun run build" first`)
  return BINARY
}

/** The most recently changed file at or below `path`. */
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
