import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ApiError, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, loadServer, type ServerInfo, signIn } from '../../store/session.ts'

export default function RegisterPage() {
  const { data } = useQuery(loadServer)
  const { route } = useLocation()
  const isInside = account.value !== null && account.value !== undefined
  useEffect(() => {
    if (isInside) route(href('/'), true)
  }, [isInside])
  return data.value && !isInside ? <Register server={data.value} /> : null
}

/** Creates an account if the server allows it. The first account of a server can always be created. */
export function Register({ server }: { server: ServerInfo }) {
  const isFirst = server.first_run
  const isInvited = server.registration === 'invite' && !isFirst
  const username = useSignal('')
  const password = useSignal('')
  const email = useSignal('')
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const isPending = useSignal(false)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    isBusy.value = true
    error.value = undefined
    try {
      const answer = await call('register', {
        body: { username: username.value, password: password.value, ...(email.value !== '' && { email: email.value }) },
      })
      if (answer.status === 'active') await signIn(username.value, password.value)
      else isPending.value = true
    } catch (reason) {
      error.value = reason
    }
    isBusy.value = false
  }

  if (server.registration === 'closed' && !isFirst)
    return (
      <AuthLayout title={t('auth.register')}>
        <Notice>
          <p>{t('auth.closed')}</p>
        </Notice>
        <SignInInstead />
      </AuthLayout>
    )
  if (isPending.value)
    return (
      <AuthLayout title={t('auth.register')}>
        <Notice>
          <p>{t('auth.checkMail')}</p>
        </Notice>
        <SignInInstead />
      </AuthLayout>
    )
  const errors = fieldErrors(error.value)
  return (
    <AuthLayout
      title={isFirst ? t('auth.firstTitle') : t('auth.register')}
      {...(isFirst && { lead: t('auth.firstLead') })}
    >
      <form class="stack" onSubmit={(event) => void submit(event)}>
        {errors.other !== undefined && (
          <Notice kind="error">
            <p>{errors.other}</p>
          </Notice>
        )}
        <TextField
          label={t('auth.username')}
          name="username"
          autoComplete="username"
          required
          maxLength={64}
          hint={t('auth.usernameHint')}
          error={errors.username}
          value={username.value}
          onInput={(value) => {
            username.value = value
          }}
        />
        <TextField
          label={t('auth.password')}
          type="password"
          name="password"
          autoComplete="new-password"
          required
          minLength={4}
          maxLength={256}
          hint={t('auth.passwordHint')}
          error={errors.password}
          value={password.value}
          onInput={(value) => {
            password.value = value
          }}
        />
        <TextField
          label={t('auth.email')}
          type="email"
          name="email"
          autoComplete="email"
          required={isInvited}
          isOptional={!isInvited}
          hint={isInvited ? t('auth.emailInviteHint') : t('auth.emailHint')}
          error={errors.email}
          value={email.value}
          onInput={(value) => {
            email.value = value
          }}
        />
        <Button type="submit" kind="main" isBusy={isBusy.value}>
          {t('auth.register')}
        </Button>
      </form>
      {!isFirst && <SignInInstead />}
    </AuthLayout>
  )
}

export function SignInInstead() {
  return (
    <p>
      {t('auth.haveAccount')} <a href={href('/login')}>{t('auth.signIn')}</a>
    </p>
  )
}

interface FieldErrors {
  readonly username?: string
  readonly password?: string
  readonly email?: string
  readonly other?: string
}

function fieldErrors(error: unknown): FieldErrors {
  if (error === undefined) return {}
  if (!(error instanceof ApiError)) return { other: errorMessage(error) }
  if (error.code === 'username_taken') return { username: t('auth.taken') }
  if (error.code === 'email_taken') return { email: t('auth.emailTaken') }
  const { field, message } = error
  return field === 'username' || field === 'password' || field === 'email'
    ? { [field]: message }
    : { other: errorMessage(error) }
}
