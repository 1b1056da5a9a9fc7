import { render } from 'preact'
import { App } from './app.tsx'
import { Door } from './parts/door.tsx'
import { Failure } from './parts/notice.tsx'
import { loadServer } from './state/server.ts'
import { followAccount } from './state/tabs.ts'
import { followLanguage, preferredLanguage, speak, t } from './text/index.ts'

const place = document.getElementById('app')
if (!place) throw new Error('the page has no place for the application')
followAccount()
followLanguage()
const [, server] = await Promise.allSettled([speak(preferredLanguage()), loadServer()])
render(server.status === 'fulfilled' ? <App /> : <Unreachable error={server.reason} />, place)

function Unreachable({ error }: { error: unknown }) {
  return (
    <Door title={t().common.errors.title}>
      <Failure error={error} onRetry={() => location.reload()} />
    </Door>
  )
}
