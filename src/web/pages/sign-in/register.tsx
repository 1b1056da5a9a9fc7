import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ApiError, call } from '../../api/client.ts'
import { ErrorNotice, errorMessage, Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Form } from '../../components/forms/form.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, ensureServer, freshServer, type ServerInfo, signIn } from '../../store/session.ts'

export default function RegisterPage() {
  const { data } = useQuery(ensureServer)
  const { route } = useLocation()
  const isInside = account.value !== null && account.value !== undefined
  useEffect(() => {
    if (isInside) route(href('/'), true)
  }, [isInside])
  const server = data.value ?? freshServer()
  return server && !isInside ? <Register server={server} /> : null
}

/** Creates an account if the server allows registration. The first account is always allowed. */
export function Register({ server }: { server: ServerInfo }) {
  const isFirst = server.first_run
  const isInvited = server.registration === 'invite' && !isFirst
  const username = useSignal('')
  const password = useSignal('')
  const email = useSignal('')
  const isPending = useSignal(false)
  const { isBusy, error, run } = useMutation()

  async function register(): Promise<void> {
    const body = {
      username: username.value,
      password: password.value,
      ...(email.value !== '' && { email: email.value }),
    }
    const { status } = await call('register', { body })
    if (status === 'active') await signIn(username.value, password.value)
    else isPending.value = true
  }

  if (server.registration === 'closed' && !isFirst)
    return <SignInLater title={t('auth.register')} text={t('auth.closed')} />
  if (isPending.value) return <SignInLater title={t('auth.register')} text={t('auth.checkMail')} />
  const errors = registrationErrors(error.value)
  return (
    <AuthLayout
      isForm
      title={isFirst ? t('auth.firstTitle') : t('auth.register')}
      {...(isFirst && { lead: t('auth.firstLead') })}
    >
      <Form error={error.value} onSubmit={() => run(register)}>
        <ErrorNotice text={errors.other} error={error.value} />
        <TextField
          kind="username"
          label={t('auth.username')}
          maxLength={64}
          hint={t('auth.usernameHint')}
          error={errors.username}
          value={username}
        />
        <TextField
          kind="newPassword"
          label={t('auth.password')}
          name="password"
          hint={isFirst && !server.mail ? t('auth.firstPasswordHint') : t('auth.passwordHint')}
          error={errors.password}
          value={password}
        />
        <TextField
          kind="email"
          label={t('auth.email')}
          required={isInvited}
          isOptional={!isInvited}
          hint={isInvited ? t('auth.emailInviteHint') : t('auth.emailHint')}
          error={errors.email}
          value={email}
        />
        <Button type="submit" kind="main" isBusy={isBusy.value}>
          {t('auth.register')}
        </Button>
        {isFirst && <p class="muted small">{t('auth.firstNext')}</p>}
      </Form>
      {!isFirst && <SignInInstead />}
    </AuthLayout>
  )
}

/** A page with a message and a link to sign in. */
export function SignInLater({ title, text }: { title: string; text: string }) {
  return (
    <AuthLayout title={title}>
      <Notice>{text}</Notice>
      <SignInInstead />
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

/** Maps an error to a message on the field that caused it. */
function registrationErrors(error: unknown): Partial<Record<'username' | 'password' | 'email' | 'other', string>> {
  const { code, field } = error instanceof ApiError ? error : {}
  if (code === 'username_taken') return { username: t('auth.taken') }
  if (code === 'email_taken') return { email: t('auth.emailTaken') }
  return field === 'username' || field === 'password' || field === 'email'
    ? { [field]: t(`auth.fields.${field}`) }
    : { other: errorMessage(error) }
}
