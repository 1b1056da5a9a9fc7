import { call } from '../../api/client.ts'
import { ButtonLink } from '../../components/forms/button.tsx'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { AcceptInvitation } from './accept-invitation.tsx'
import { MailedLink, useLink } from './mailed-link.tsx'

/** Activates an account from a mailed link, or lets an invited user choose a password. */
export default function Activate() {
  const { kind, token } = useLink()
  if (kind === 'invitation') return <AcceptInvitation key={token} token={token} />
  return (
    <MailedLink
      key={token}
      title={t('auth.activateTitle')}
      lead={t('auth.activateLead')}
      token={token}
      onSubmit={() => call('activate', { body: { token } })}
      submit={t('auth.activate')}
      done={t('auth.activated')}
      advice={t('auth.tokenBadActivate')}
      retry={<ButtonLink href={href('/login')}>{t('auth.signIn')}</ButtonLink>}
    />
  )
}
