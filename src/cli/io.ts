import type { NetworkInterfaceInfo } from 'node:os'
import { codeOf } from '../platform/unknown.ts'

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly isTerminal: boolean
  readonly isLogTerminal: boolean
  readonly isInContainer: boolean
  interfaces(): Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>
  memoryBytes(): number
  userId(): number | undefined
  /** Switches the process to this user and group permanently. Throws unless permitted, as it is for root. */
  becomeUser(user: { readonly uid: number; readonly gid: number }): void
  out(text: string): void
  /** Like `out`, but settles once written, so that a slow reader is not flooded. Rejects if the reader is gone. */
  outBytes(bytes: Uint8Array): Promise<void>
  err(text: string): void
  readAll(): Promise<string>
  /** Reads a line from the user, without echo if `hidden`. Returns undefined if the user aborts. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>
  onSignal(handle: () => void): void
  /** Called when the terminal closes, which ends the process unless there is a handler. */
  onHangup(handle: () => void): void
  exit(code: number): never
}

export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(message, 2)
}

/** Whether the operating system's message explains the error, such as a port in use or an unwritable folder. */
export function isSystemError(error: unknown): error is Error {
  return /^(E[A-Z]|SQLITE_)/.test(codeOf(error))
}
