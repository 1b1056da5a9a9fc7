import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { ApiError, call } from '../../api/client.ts'
import { errorMessage, Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Form } from '../../components/forms/form.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { Skeleton } from '../../components/layout/page.tsx'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, signIn } from '../../store/session.ts'

/** The page that an invitation opens. The new user chooses a password and is then signed in. */
export function AcceptInvitation({ token }: { token: string }) {
  const query = useQuery((signal) => call('findInvitation', { body: { token }, signal }))
  const { route } = useLocation()
  const password = useSignal('')
  const isAccepted = useSignal(false)
  const { isBusy, error, run } = useMutation()
  const name = query.data.value?.username ?? ''

  async function accept(): Promise<void> {
    const { username } = await call('acceptInvitation', { body: { token, password: password.value } })
    isAccepted.value = true
    await signIn(username, password.value)
    route(href('/'), true)
  }

  if (isAccepted.value && error.value !== undefined)
    return (
      <AuthLayout title={t('auth.invitation.title', { name })}>
        <Notice>{t('auth.invitation.done')}</Notice>
        <ButtonLink kind="main" href={href('/login')}>
          {t('auth.signIn')}
        </ButtonLink>
      </AuthLayout>
    )
  if (isBadToken(query.error.value) || isBadToken(error.value))
    return (
      <AuthLayout title={t('auth.activateTitle')}>
        <Notice kind="error">
          <p>{t('auth.tokenBad')}</p>
          <p>{t('auth.invitation.bad')}</p>
        </Notice>
        <ButtonLink href={href('/login')}>{t('auth.signIn')}</ButtonLink>
      </AuthLayout>
    )
  if (!query.data.value)
    return (
      <AuthLayout title={t('auth.activateTitle')}>
        {query.error.value === undefined ? (
          <Skeleton height="8rem" />
        ) : (
          <Failure error={query.error.value} onRetry={() => void query.reload()} />
        )}
      </AuthLayout>
    )
  return (
    <AuthLayout title={t('auth.invitation.title', { name })} lead={t('auth.invitation.lead')} isForm>
      {account.value && <Notice kind="warn">{t('auth.invitation.other', { name: account.value.username })}</Notice>}
      <Form error={error.value} onSubmit={() => run(accept)}>
        {/* Password managers store the name with the password. */}
        <input type="text" name="username" autocomplete="username" value={name} readOnly hidden />
        <TextField
          kind="newPassword"
          label={t('auth.newPassword')}
          name="new-password"
          hint={t('auth.passwordHint')}
          error={errorMessage(error.value)}
          value={password}
        />
        <Button type="submit" kind="main" isBusy={isBusy.value}>
          {t('auth.invitation.accept')}
        </Button>
      </Form>
    </AuthLayout>
  )
}

function isBadToken(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_token'
}
