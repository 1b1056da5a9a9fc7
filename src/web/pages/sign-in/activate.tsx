import { useSignal } from '@preact/signals'
import { ApiError, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { useToken } from '../../hooks/use-token.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'

/** Activates an account by a mailed link. Only the button uses the token, since mail scanners open links, too. */
export default function ActivatePage() {
  const token = useToken()
  return <Activate key={token} token={token} />
}

function Activate({ token }: { token: string }) {
  const state = useSignal<'ready' | 'busy' | 'done' | 'bad'>(token === '' ? 'bad' : 'ready')
  const error = useSignal<string | undefined>(undefined)

  async function activate(): Promise<void> {
    state.value = 'busy'
    error.value = undefined
    try {
      await call('activate', { body: { token } })
      state.value = 'done'
    } catch (reason) {
      const isBad = reason instanceof ApiError && reason.status === 400
      state.value = isBad ? 'bad' : 'ready'
      if (!isBad) error.value = errorMessage(reason)
    }
  }

  if (state.value === 'done')
    return (
      <AuthLayout title={t('auth.activateTitle')}>
        <Notice>
          <p>{t('auth.activated')}</p>
        </Notice>
        <ButtonLink kind="main" href={href('/login')}>
          {t('auth.signIn')}
        </ButtonLink>
      </AuthLayout>
    )
  if (state.value === 'bad')
    return (
      <AuthLayout title={t('auth.activateTitle')}>
        <Notice kind="error">
          <p>{t('auth.tokenBad')}</p>
          <p>{t('auth.tokenBadActivate')}</p>
        </Notice>
        <ButtonLink href={href('/login')}>{t('auth.signIn')}</ButtonLink>
      </AuthLayout>
    )
  return (
    <AuthLayout title={t('auth.activateTitle')} lead={t('auth.activateLead')}>
      {error.value && (
        <Notice kind="error">
          <p>{error.value}</p>
        </Notice>
      )}
      <Button kind="main" isBusy={state.value === 'busy'} onClick={activate}>
        {t('auth.activate')}
      </Button>
    </AuthLayout>
  )
}
