import { render } from 'preact'
import { App } from './app.tsx'
import { Failure } from './components/feedback/notice.tsx'
import { AuthLayout } from './components/layout/auth-layout.tsx'
import { followLanguage, preferredLanguage, setLanguage, t } from './locales/index.ts'
import { recoveries, workOffline } from './pwa/offline.ts'
import { registerWorker } from './pwa/register.ts'
import { loadServer } from './store/session.ts'
import { followAccount } from './store/tabs.ts'
import { toast } from './store/toasts.ts'

const place = document.getElementById('app')
if (!place) throw new Error('the page has no place for the application')
followAccount()
followLanguage()
registerWorker()
workOffline()
void start(place)

/** A function, because a top-level `await` would block the page modules, which import this one. */
async function start(root: HTMLElement): Promise<void> {
  const [, server] = await Promise.allSettled([setLanguage(preferredLanguage()), loadServer()])
  // If the server was quick, the answer is handled in the same task as this file. Split that long task.
  await new Promise((resolve) => setTimeout(resolve))
  // Remove the static outline of the page.
  root.replaceChildren()
  showLostRole()
  render(server.status === 'fulfilled' ? <App /> : <Unreachable error={server.reason} />, root)
}

/** Tells a user, once after single sign-on, that they have lost the administrator role (docs/protocol.md#D77). */
function showLostRole(): void {
  if (location.hash !== '#role-removed') return
  history.replaceState(history.state, '', location.pathname + location.search)
  toast(t('auth.roleRemoved'), { kind: 'error' })
}

function Unreachable({ error }: { error: unknown }) {
  if (recoveries.value > 0) location.reload()
  return (
    <AuthLayout title={t('common.errors.title')}>
      <Failure error={error} onRetry={() => location.reload()} />
    </AuthLayout>
  )
}
