import { useEffect } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { ErrorNotice, errorMessage, Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { useMutation } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { farewell, signInByProxy } from '../../store/session.ts'

/**
 * Signs in the user named by the proxy, without asking unless the user has just signed out. No other sign-in is
 * possible, because the server rejects the session of any other user.
 */
export function ProxySignIn({ username }: { username: string }) {
  const { isBusy, error, run } = useMutation()
  const hasLeft = farewell.value === 'signedOut' || farewell.value === 'deleted'
  useEffect(() => {
    if (!hasLeft) void run(signInByProxy)
  }, [])
  return (
    <AuthLayout title={t('auth.signIn')} lead={t('auth.proxy.lead', { name: username })}>
      {farewell.value && hasLeft && <Notice>{t(`auth.${farewell.value}`)}</Notice>}
      <ErrorNotice text={proxyError(error.value, username)} error={error.value} />
      <Button kind="main" isBusy={isBusy.value} onClick={() => void run(signInByProxy)}>
        {t('auth.proxy.continue', { name: username })}
      </Button>
      <p class="muted small">{t('auth.proxy.other')}</p>
    </AuthLayout>
  )
}

function proxyError(error: unknown, name: string): string {
  if (!(error instanceof ApiError)) return errorMessage(error)
  if (error.code === 'unknown_user') return t('auth.proxy.unknown', { name })
  if (error.code === 'account_pending') return t('auth.pending')
  return error.code === 'account_inactive' ? t('auth.inactive') : errorMessage(error)
}
