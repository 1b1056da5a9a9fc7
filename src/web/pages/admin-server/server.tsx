import { ButtonLink } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { href } from '../../state/base.ts'
import { t } from '../../text/index.ts'
import { Backups } from './backups.tsx'
import { DirectoryCheck } from './directory-check.tsx'
import { MailCheck } from './mail-check.tsx'
import { Settings } from './settings.tsx'
import { SsoCheck } from './sso-check.tsx'
import { ServerState } from './state.tsx'

/** How the server is, whether the servers of others do what it wants of them, and how it was set up. */
export function Server() {
  const texts = t().admin.server
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <ButtonLink href={href('/docs')} isServers>
          {texts.docs}
        </ButtonLink>
      }
    >
      <div class="sections">
        <ServerState />
        <Backups />
        <MailCheck />
        <SsoCheck />
        <DirectoryCheck />
        <Settings />
      </div>
    </Page>
  )
}
