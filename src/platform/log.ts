import pino from 'pino'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, unknown>>

/**
 * error: a person must act now. warn: something is degraded. info: start, stop, administration, failed sign-ins. debug: the rest.
 * Fields never hold passwords, tokens, cookies or whole feed URLs.
 */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  readonly isDebug: boolean
}

export interface LogOptions {
  readonly level: LogLevel
  readonly format: 'json' | 'pretty'
  /** Takes one whole line, line end included. */
  readonly write: (line: string) => void
}

export function createLog({ level, format, write }: LogOptions): Log {
  const sink = { write: format === 'json' ? write : (line: string) => write(prettyLine(line)) }
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
    },
    sink,
  )
  return {
    debug: (message, fields) => logger.debug(fields, message),
    info: (message, fields) => logger.info(fields, message),
    warn: (message, fields) => logger.warn(fields, message),
    error: (message, fields) => logger.error(fields, message),
    isDebug: level === 'debug',
  }
}

/** For people at a terminal; control characters stay escaped as in JSON, so nobody can draw on it. */
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
