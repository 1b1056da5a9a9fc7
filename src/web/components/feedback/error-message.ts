import { ApiError } from '../../api/client.ts'
import { errorText } from './notice.tsx'

/** Texts of a page for what the server may answer, by its word. */
export type Words = Readonly<Record<string, string>>

/** Why something was refused, in the page's own words where it has some: for the server's word, or for the field that breaks a rule. */
export function refusalText(error: unknown, words: Words, fields: Words = {}): string {
  if (!(error instanceof ApiError)) return errorText(error)
  const ofField = error.word === 'validation_failed' ? fields[error.field ?? ''] : undefined
  return ofField ?? words[error.word] ?? errorText(error)
}
