import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import type { ReadStream } from 'node:tty'
import type { Io } from './io.ts'
import { run } from './run.ts'

const io: Io = {
  env: process.env,
  cwd: process.cwd(),
  // Created on first use: a server that never prompts does not need the streams.
  get isTerminal() {
    return process.stdin.isTTY === true
  },
  isLogTerminal: process.stderr.isTTY === true,
  isInContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
  interfaces: () => networkInterfaces(),
  memoryBytes: () => process.memoryUsage.rss(),
  userId: () => process.geteuid?.(),
  becomeUser({ uid, gid }) {
    process.setgroups?.([gid])
    process.setgid?.(gid)
    process.setuid?.(uid)
  },
  out: (text) => void process.stdout.write(text),
  outBytes: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
    }),
  err: (text) => void process.stderr.write(text),
  readAll: () => Bun.stdin.text(),
  ask: (question, { hidden = false } = {}) =>
    askAtTerminal(process.stdin, (text) => void process.stderr.write(text), question, hidden),
  onSignal(handle) {
    process.on('SIGTERM', handle)
    process.on('SIGINT', handle)
  },
  onHangup: (handle) => void process.on('SIGHUP', handle),
  exit: (code) => process.exit(code),
}

// A closed pipe or a full disk under the log must not crash the server.
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

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

/** Prompts in raw mode, so that the answer never reaches a history file. Returns undefined on Ctrl-C and Ctrl-D. */
function askAtTerminal(
  stdin: ReadStream,
  write: (text: string) => void,
  question: string,
  hidden: boolean,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let line: string[] = []
    // Set before the prompt is written, so that an answer typed immediately is not echoed either.
    stdin.setRawMode(true)
    write(question)
    stdin.resume()
    stdin.setEncoding('utf8')

    function finish(answer: string | undefined): void {
      stdin.off('data', take)
      stdin.setRawMode(false)
      stdin.pause()
      write('\n')
      resolve(answer)
    }

    function take(text: string): void {
      for (const char of text) {
        const isEnd = char === '\r' || char === '\n'
        const isGivenUp = char === CTRL_C || (char === CTRL_D && line.length === 0)
        if (isEnd || isGivenUp) {
          finish(isEnd ? line.join('') : undefined)
          return
        }
        if (char === '\u007f' || char === '\b') {
          if (line.length > 0 && !hidden) write('\b \b')
          line = line.slice(0, -1)
        } else if (char >= ' ') {
          line.push(char)
          if (!hidden) write(char)
        }
      }
    }
    stdin.on('data', take)
  })
}
