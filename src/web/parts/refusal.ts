import { ApiError } from '../api/client.ts'
import { errorText } from './notice.tsx'

/** Why something was refused, in the page's own words where it has some for the server's. */
export function refusalText(error: unknown, words: Readonly<Record<string, string>>): string {
  return (error instanceof ApiError ? words[error.word] : undefined) ?? errorText(error)
}
