import { call } from '../api/client.ts'
import { Failure } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useLoad } from '../state/load.ts'
import { account } from '../state/session.ts'
import { fill, t } from '../text/index.ts'
import { EmailForm } from './account/email.tsx'
import { ExportData } from './account/export.tsx'
import { Identities } from './account/identities.tsx'
import { Look } from './account/look.tsx'
import { PasswordForm } from './account/password.tsx'
import { RemoveAccount } from './account/removal.tsx'
import { Sessions } from './account/sessions.tsx'

/** What somebody can change about the own account. */
export default function Account() {
  const texts = t().account
  const { data, error, reload } = useLoad((signal) => call('listIdentities', { signal }))
  const { value } = account
  if (!value) return null
  const lead = fill(value.is_admin ? texts.leadAdmin : texts.lead, { username: value.username })
  const identities = data.value
  return (
    <Page title={texts.title} lead={lead}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!identities && !error.value && <Skeleton height="14rem" count={4} />}
      {identities && (
        <div class="sections">
          <EmailForm isLinked={identities.length > 0} />
          <PasswordForm isLinked={identities.length > 0} />
          <Sessions />
          <Identities identities={identities} onChange={reload} />
          <Look />
          <ExportData />
          <RemoveAccount />
        </div>
      )}
    </Page>
  )
}
