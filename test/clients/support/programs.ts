import { join } from 'node:path'

/** The one that packages of Debian are for, whichever comes first in PATH. */
const PYTHON = '/usr/bin/python3'

const has = (program: readonly string[]): boolean => {
  try {
    return Bun.spawnSync([...program], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0
  } catch {
    return false
  }
}

/** Whether `python3-mygpoclient` is there. */
export const HAS_MYGPOCLIENT = has([PYTHON, '-c', 'import mygpoclient.api'])

/** Whether `gpodder` is there, which brings the command `gpo`. */
export const HAS_GPODDER = has([PYTHON, '-c', 'import gpodder.my']) && Bun.which('gpo') !== null

interface Run {
  /** Nobody else's settings: the program finds its own here. */
  readonly home: string
  readonly stdin?: string
  readonly env?: Record<string, string>
}

/** What a program writes to its standard output; throws what it complains of if it fails. */
export async function run(command: readonly string[], { home, stdin = '', env = {} }: Run): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, LC_ALL: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdin: new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${err}`)
  return out
}

/** Runs a script of this folder, which takes steps and answers with JSON. */
export async function runScript(
  script: 'call-mygpoclient.py' | 'run-gpodder.py',
  args: readonly string[],
  steps: readonly (readonly unknown[])[],
  options: Omit<Run, 'stdin'>,
): Promise<unknown> {
  const command = [PYTHON, join(import.meta.dir, script), ...args]
  return JSON.parse(await run(command, { ...options, stdin: JSON.stringify(steps) }))
}
