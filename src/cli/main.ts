import { networkInterfaces } from 'node:os'
import type { Io } from './io.ts'
import { run } from './run.ts'
import { askAtTerminal } from './terminal.ts'

/** The only place that touches the process. */
const io: Io = {
  env: process.env,
  cwd: process.cwd(),
  isTerminal: process.stdin.isTTY === true,
  isLogTerminal: process.stderr.isTTY === true,
  interfaces: () => networkInterfaces(),
  memoryBytes: () => process.memoryUsage.rss(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  readAll: () => Bun.stdin.text(),
  ask: (question, { hidden = false } = {}) =>
    askAtTerminal(process.stdin, (text) => void process.stderr.write(text), question, hidden),
  onSignal(handle) {
    process.on('SIGTERM', handle)
    process.on('SIGINT', handle)
  },
  exit: (code) => process.exit(code),
}

// A reader that went away (a closed pipe) or a full disk under the log must not take the server down with it.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)

run(process.argv.slice(2), io).then(
  (code) => {
    process.exitCode = code
  },
  (error) => {
    io.err(
      `podstep failed unexpectedly; please report this:\n${error instanceof Error ? error.stack : String(error)}\n`,
    )
    process.exit(70)
  },
)
