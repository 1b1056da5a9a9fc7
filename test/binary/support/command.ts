import { PATIENCE_MS } from '../../support/eventually.ts'
import { requireBinary } from './binary.ts'

export interface CommandOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Standard input; empty by default. */
  readonly stdin?: string
  /** Program to run, with its first arguments; the executable under test by default. */
  readonly program?: readonly string[]
  /** Seconds after which the command is killed. */
  readonly seconds?: number
}

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command to its end, without the environment of this process. */
export async function podstep(args: readonly string[], options: CommandOptions): Promise<Outcome> {
  const { cwd, env = {}, stdin, seconds = PATIENCE_MS / 1000, program = [requireBinary()] } = options
  const child = Bun.spawn([...program, ...args], {
    cwd,
    env,
    stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
    // A command that hangs must not hang the test run.
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
  })
  const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  return { code, out, err }
}
