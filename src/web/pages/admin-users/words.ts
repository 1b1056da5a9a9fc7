import { refusalText } from '../../parts/refusal.ts'
import { t } from '../../text/index.ts'

/** Why something about an account was refused. */
export function userRefusal(error: unknown): string {
  const { refusals, fields } = t().admin.users
  return refusalText(error, refusals, fields)
}
