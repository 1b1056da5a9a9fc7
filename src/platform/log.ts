import { err } from 'pino-std-serializers'
import { configure } from 'safe-stable-stringify'
import { isoTime } from './clock.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

const stringify = configure({ deterministic: false })

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

export type LogFields = Readonly<Record<string, unknown>>

export interface LogOptions {
  readonly level: LogLevel
  readonly format: 'json' | 'pretty'
  readonly write: (line: string) => void
}

export type Log = ReturnType<typeof createLog>

/** error: act now. warn: degraded. info: start, stop, administration, requests. debug: the rest. No secrets. */
export function createLog({ level, format, write }: LogOptions) {
  const writeLine = format === 'json' ? write : (line: string) => write(prettyLine(line))
  const isInfo = level === 'info' || level === 'debug'
  let waiting: string[] = []
  let time = ''

  function flush(): void {
    const lines = waiting
    // Already flushed before a line of `put`.
    if (lines.length === 0) return
    waiting = []
    if (format === 'json') write(lines.join(''))
    else for (const line of lines) writeLine(line)
  }

  /** Writes lines in pino's format with two of its packages, since all of pino takes 3 MiB. */
  function put(name: LogLevel, message: string, fields: LogFields = {}): void {
    if (LEVELS.indexOf(name) < LEVELS.indexOf(level)) return
    if (waiting.length > 0) flush()
    const { error, ...others } = fields
    const shown = error instanceof Error ? { ...others, error: err(error) } : fields
    writeLine(`${stringify({ level: name, time: isoTime(), ...shown, msg: message })}\n`)
  }

  return {
    debug: (message: string, fields?: LogFields): void => put('debug', message, fields),
    info: (message: string, fields?: LogFields): void => put('info', message, fields),
    warn: (message: string, fields?: LogFields): void => put('warn', message, fields),
    error: (message: string, fields?: LogFields): void => put('error', message, fields),
    /** `info` for frequent events: writes all lines of one turn of the event loop together. */
    infoOften(message: string, fields: LogFields): void {
      if (!isInfo) return
      if (waiting.length === 0) {
        time = isoTime()
        setImmediate(flush)
      }
      // Plain `JSON.stringify` is faster than one that handles cycles.
      waiting.push(`{"level":"info","time":"${time}",${JSON.stringify({ ...fields, msg: message }).slice(1)}\n`)
    },
    isDebug: level === 'debug',
  }
}

/** Formats for a terminal. Control characters stay escaped as in JSON, so that log data cannot control it. */
function prettyLine(line: string): string {
  const { level, time, msg, ...fields }: Record<string, unknown> = JSON.parse(line)
  const details = Object.entries(fields).map(([key, value]) => ` ${key}=${printable(value)}`)
  const clock = String(time).slice(11, 19)
  return `${clock} ${String(level).toUpperCase().padEnd(5)} ${escapeControls(String(msg))}${details.join('')}\n`
}

function printable(value: unknown): string {
  if (isLoggedError(value))
    return `\n${value.stack
      .split('\n')
      .map((line) => `  ${escapeControls(line)}`)
      .join('\n')}`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return escapeControls(/[\s"=]/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text)
}

function isLoggedError(value: unknown): value is { stack: string } {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string'
}

function escapeControls(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
