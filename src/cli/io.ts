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
  /** Makes the whole process run as this user and group for good; only root may. Throws if the system refuses. */
  becomeUser(user: { readonly uid: number; readonly gid: number }): void
  out(text: string): void
  /** As `out`, settled when it is on its way, so that a slow reader is not flooded. Rejects when the reader is gone. */
  outBytes(bytes: Uint8Array): Promise<void>
  err(text: string): void
  readAll(): Promise<string>
  /** A line typed by a person; not shown while typing if `hidden`. undefined when the person gives up. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>
  onSignal(handle: () => void): void
  /** When the terminal is closed, which ends the process unless there is a handler. */
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

/** A refused port, an unwritable folder: the operating system's own words are the explanation. */
export function isSystemError(error: unknown): error is Error {
  return /^(E[A-Z]|SQLITE_)/.test(codeOf(error))
}
