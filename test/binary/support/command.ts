import { PATIENCE_MS } from '../../support/eventually.ts'
import { requireBinary } from './binary.ts'

export interface CommandOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Standard input; none unless given. */
  readonly stdin?: string
  /** Another executable than the one under test, with the words before the arguments. */
  readonly program?: readonly string[]
  /** Killed after so many; by default, when it counts as hanging. */
  readonly seconds?: number
}

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs one command to its end, with nothing of this process's environment. */
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
