import { t } from '../locales/index.ts'
import { toast } from './toasts.ts'

/** The fragment of the page to which single sign-on leads a user who is no longer an administrator (docs/protocol.md#D77). */
const LOST_ROLE = '#role-removed'

/** Tells such a user, once. */
export function tellLostRole(): void {
  if (location.hash !== LOST_ROLE) return
  history.replaceState(history.state, '', location.pathname + location.search)
  toast(t('auth.roleRemoved'), { kind: 'error', subject: LOST_ROLE })
}
