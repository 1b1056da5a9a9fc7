import { call } from '../../api/client.ts'
import { ButtonLink } from '../../components/forms/button.tsx'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { MailedLink, useToken } from './mailed-link.tsx'

/** Activates an account by a mailed link. */
export default function Activate() {
  const token = useToken()
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
