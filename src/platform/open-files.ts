import { constants } from 'node:os'
import { codeOf } from './unknown.ts'

const CODES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])
const NUMBERS: ReadonlySet<unknown> = new Set([constants.errno.EMFILE, constants.errno.ENFILE])

/** Whether the system has refused another file, connection or process because this process has too many open. */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (CODES.has(codeOf(error))) return true
  // Some errors of the runtime have only the number.
  return (
    ('errno' in error && typeof error.errno === 'number' && NUMBERS.has(Math.abs(error.errno))) ||
    isOutOfFiles(error.cause)
  )
}
