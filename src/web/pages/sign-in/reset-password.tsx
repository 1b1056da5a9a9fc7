import { useSignal } from '@preact/signals'
import { ApiError, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { useToken } from '../../hooks/use-token.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { SignInInstead } from './register.tsx'

/** Asks for an email address to send a link to or, when opened by such a link, for the new password. */
export default function ResetPassword() {
  const token = useToken()
  return token === '' ? <RequestLink /> : <NewPassword key={token} token={token} />
}

function RequestLink() {
  const email = useSignal('')
  const isBusy = useSignal(false)
  const isSent = useSignal(false)
  const error = useSignal<string | undefined>(undefined)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    isBusy.value = true
    error.value = undefined
    try {
      await call('requestPasswordReset', { body: { email: email.value } })
      isSent.value = true
    } catch (reason) {
      error.value = errorMessage(reason)
    }
    isBusy.value = false
  }

  if (isSent.value)
    return (
      <AuthLayout title={t('auth.forgottenTitle')}>
        <Notice>
          <p>{t('auth.sent')}</p>
        </Notice>
        <SignInInstead />
      </AuthLayout>
    )
  return (
    <AuthLayout title={t('auth.forgottenTitle')} lead={t('auth.forgottenLead')}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextField
          label={t('auth.email')}
          type="email"
          name="email"
          autoComplete="email"
          required
          error={error.value}
          value={email.value}
          onInput={(value) => {
            email.value = value
          }}
        />
        <Button type="submit" kind="main" isBusy={isBusy.value}>
          {t('auth.send')}
        </Button>
      </form>
      <SignInInstead />
    </AuthLayout>
  )
}

function NewPassword({ token }: { token: string }) {
  const password = useSignal('')
  const state = useSignal<'ready' | 'busy' | 'done' | 'bad'>('ready')
  const error = useSignal<string | undefined>(undefined)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    state.value = 'busy'
    error.value = undefined
    try {
      await call('confirmPasswordReset', { body: { token, new_password: password.value } })
      state.value = 'done'
    } catch (reason) {
      const isBad = reason instanceof ApiError && reason.code === 'invalid_token'
      state.value = isBad ? 'bad' : 'ready'
      if (!isBad) error.value = errorMessage(reason)
    }
  }

  if (state.value === 'done')
    return (
      <AuthLayout title={t('auth.resetTitle')}>
        <Notice>
          <p>{t('auth.resetDone')}</p>
        </Notice>
        <ButtonLink kind="main" href={href('/login')}>
          {t('auth.signIn')}
        </ButtonLink>
      </AuthLayout>
    )
  if (state.value === 'bad')
    return (
      <AuthLayout title={t('auth.resetTitle')}>
        <Notice kind="error">
          <p>{t('auth.tokenBad')}</p>
          <p>{t('auth.tokenBadReset')}</p>
        </Notice>
        <RequestAgain />
      </AuthLayout>
    )
  return (
    <AuthLayout title={t('auth.resetTitle')} lead={t('auth.resetLead')}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextField
          label={t('auth.newPassword')}
          type="password"
          name="new-password"
          autoComplete="new-password"
          required
          minLength={4}
          maxLength={256}
          hint={t('auth.passwordHint')}
          error={error.value}
          value={password.value}
          onInput={(value) => {
            password.value = value
          }}
        />
        <Button type="submit" kind="main" isBusy={state.value === 'busy'}>
          {t('common.save')}
        </Button>
      </form>
    </AuthLayout>
  )
}

/** Loads the page again, without the token. */
function RequestAgain() {
  return (
    <Button kind="main" onClick={() => location.reload()}>
      {t('auth.forgottenTitle')}
    </Button>
  )
}
