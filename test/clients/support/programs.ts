import { join } from 'node:path'

/** The interpreter of Debian's packages, even if PATH has another one. */
const PYTHON = '/usr/bin/python3'

const has = (program: readonly string[]): boolean => {
  try {
    return Bun.spawnSync([...program], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0
  } catch {
    return false
  }
}

/** Whether `python3-mygpoclient` is installed. */
export const HAS_MYGPOCLIENT = has([PYTHON, '-c', 'import mygpoclient.api'])

/** Whether `gpodder`, with its command `gpo`, is installed. */
export const HAS_GPODDER = has([PYTHON, '-c', 'import gpodder.my']) && Bun.which('gpo') !== null

interface Run {
  /** Home directory of the program. */
  readonly home: string
  readonly stdin?: string
  readonly env?: Record<string, string>
}

/** Runs a program and returns its standard output; throws its standard error if it fails. */
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

/** Runs a script of this folder with these steps, and returns its JSON. */
export async function runScript(
  script: 'call-mygpoclient.py' | 'run-gpodder.py',
  args: readonly string[],
  steps: readonly (readonly unknown[])[],
  options: Omit<Run, 'stdin'>,
): Promise<unknown> {
  const command = [PYTHON, join(import.meta.dir, script), ...args]
  return JSON.parse(await run(command, { ...options, stdin: JSON.stringify(steps) }))
}
