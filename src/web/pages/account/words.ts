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
  const field = error instanceof ApiError ? (error.field ?? '') : ''
  return { field, text: accountRefusal(error) }
}

export function accountRefusal(error: unknown): string {
  const { refusals, fields } = t().account
  return refusalText(error, refusals, fields)
}

/** What the service is called where people sign in. */
export function providerName(): string {
  return server.value?.sso.provider_name ?? t().account.provider
}
