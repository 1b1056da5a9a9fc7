import { ApiError } from '../../api/client.ts'
import { refusalText } from '../../parts/refusal.ts'
import { server } from '../../state/server.ts'
import { t } from '../../text/index.ts'

interface FieldWords {
  readonly field: string
  readonly text: string
}

/** Why a change was refused, and which field is to blame; `''` if none is. */
export function fieldWords(error: unknown): FieldWords {
  const { refusals, fields } = t().account
  const field = error instanceof ApiError ? (error.field ?? '') : ''
  const isMistake = error instanceof ApiError && error.word === 'validation_failed'
  const text = (isMistake ? fields[field] : undefined) ?? refusalText(error, refusals)
  return { field, text }
}

/** What the service is called where people sign in. */
export function providerName(): string {
  return server.value?.sso.provider_name ?? t().account.provider
}
