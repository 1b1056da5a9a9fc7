import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ApiError } from '../../api/client.ts'
import { ErrorNotice, errorMessage, Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Form } from '../../components/forms/form.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { setTo, setter } from '../../hooks/setters.ts'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { findText, t } from '../../locales/index.ts'
import { BASE, href, returnPath } from '../../store/paths.ts'
import { account, ensureServer, farewell, freshServer, signIn } from '../../store/session.ts'
import { ProxySignIn } from './proxy-sign-in.tsx'
import { Register } from './register.tsx'

/** The sign-in page. On a server without users, it shows the form for the first account instead. */
export default function SignIn() {
  const { data, error, reload } = useQuery(ensureServer)
  const { route } = useLocation()
  const errorCode = useSearchParam('error')
  const returnTo = returnPath(useSearchParam('return_to'))
  const credentials = useSignal<Credentials | undefined>(undefined)
  const isInside = account.value !== null && account.value !== undefined
  useEffect(() => {
    // The provider also returns signed-in users here if linking failed.
    if (isInside) route(errorCode === '' ? returnTo : href('/account', { error: errorCode }), true)
  }, [isInside])
  if (isInside) return null
  if (error.value)
    return (
      <AuthLayout title={t('auth.signIn')}>
        <Failure error={error.value} onRetry={() => void reload()} />
      </AuthLayout>
    )
  const server = data.value ?? freshServer()
  if (!server) return null
  if (server.first_run) return <Register server={server} />
  // If a proxy names a user, no other way to sign in works.
  if (server.proxy_user) return <ProxySignIn username={server.proxy_user} />
  if (credentials.value)
    return (
      <AuthLayout title={t('auth.signIn')} lead={t('auth.secondFactor.codeLead')} isForm>
        <CodeForm credentials={credentials.value} onBack={setTo(credentials, undefined)} />
      </AuthLayout>
    )
  return (
    <AuthLayout title={t('auth.signIn')} lead={t('auth.signInLead')} isForm>
      {farewell.value && errorCode === '' && <Notice>{t(`auth.${farewell.value}`)}</Notice>}
      <ErrorNotice text={ssoError(errorCode)} />
      {server.sso.enabled && (
        <>
          <ButtonLink
            kind="main"
            isServerPage
            // The server adds its subpath.
            href={href('/auth/sso/login', { return_to: returnTo.slice(BASE.length) })}
          >
            {t('auth.signInWith', { provider: server.sso.provider_name ?? '' })}
          </ButtonLink>
          {OTHER_ACCOUNT_HELPS.has(errorCode) && (
            <ButtonLink
              isServerPage
              href={href('/auth/sso/login', { return_to: returnTo.slice(BASE.length), prompt: 'select_account' })}
            >
              {t('auth.otherAccount', { provider: server.sso.provider_name ?? '' })}
            </ButtonLink>
          )}
          <p class="auth-or muted small">{t('auth.or')}</p>
        </>
      )}
      <PasswordForm isMain={!server.sso.enabled} onSecondFactor={setter(credentials)} />
      <div class="stack-small">
        {server.mail && <a href={href('/reset-password')}>{t('auth.forgotten')}</a>}
        {server.registration === 'closed' ? (
          <p class="muted small">{t('auth.closed')}</p>
        ) : (
          <p>
            {t('auth.noAccount')} <a href={href('/register')}>{t('auth.register')}</a>
          </p>
        )}
      </div>
    </AuthLayout>
  )
}

/** Error codes that a retry would repeat, because the provider would choose the same account again. */
const OTHER_ACCOUNT_HELPS: ReadonlySet<string> = new Set([
  ...['registration_closed', 'email_taken', 'account_inactive', 'account_pending', 'sso_denied'],
])

interface Credentials {
  readonly username: string
  readonly password: string
}

interface PasswordFormProps {
  readonly isMain: boolean
  /** Called if the password is correct and a code is required. */
  readonly onSecondFactor: (credentials: Credentials) => void
}

function PasswordForm({ isMain, onSecondFactor }: PasswordFormProps) {
  const username = useSignal('')
  const password = useSignal('')
  const { isBusy, error, run } = useMutation()
  const isWrongEmail = error.value instanceof ApiError && error.value.status === 401 && username.value.includes('@')

  async function submit(): Promise<void> {
    try {
      await signIn(username.value, password.value)
    } catch (reason) {
      if (!(reason instanceof ApiError && reason.code === 'second_factor_required')) throw reason
      onSecondFactor({ username: username.value, password: password.value })
    }
  }

  return (
    <Form error={error.value} onSubmit={() => run(submit)}>
      <ErrorNotice text={isWrongEmail ? t('auth.wrongEmail') : signInError(error.value)} error={error.value} />
      <TextField kind="username" label={t('auth.username')} value={username} />
      <TextField kind="password" label={t('auth.password')} required value={password} />
      <Button type="submit" kind={isMain ? 'main' : 'plain'} isBusy={isBusy.value}>
        {t('auth.signIn')}
      </Button>
    </Form>
  )
}

/** Asks for the second factor. */
function CodeForm({ credentials, onBack }: { credentials: Credentials; onBack: () => void }) {
  const code = useSignal('')
  const isRecovery = useSignal(false)
  const kind = isRecovery.value ? 'recoveryCode' : 'code'
  const { isBusy, error, run } = useMutation()
  const fields = useRef<HTMLDivElement>(null)
  // The focused button or field has been removed.
  useEffect(() => fields.current?.querySelector('input')?.focus(), [isRecovery.value])

  function change(): void {
    code.value = ''
    isRecovery.value = !isRecovery.value
  }

  return (
    <Form
      error={error.value}
      onSubmit={() => run(() => signIn(credentials.username, credentials.password, code.value))}
    >
      <ErrorNotice text={signInError(error.value)} error={error.value} />
      <div ref={fields}>
        <TextField
          key={kind}
          kind={kind}
          label={t(`auth.secondFactor.${kind}`)}
          hint={t(isRecovery.value ? 'auth.secondFactor.recoveryHint' : 'auth.secondFactor.codeHint')}
          value={code}
        />
      </div>
      <Button type="submit" kind="main" isBusy={isBusy.value}>
        {t('auth.signIn')}
      </Button>
      <div class="row">
        <Button kind="quiet" onClick={change}>
          {isRecovery.value ? t('auth.secondFactor.useApp') : t('auth.secondFactor.useRecovery')}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          {t('auth.secondFactor.otherUser')}
        </Button>
      </div>
    </Form>
  )
}

function signInError(error: unknown): string {
  if (!(error instanceof ApiError)) return errorMessage(error)
  if (error.status === 401) return t('auth.wrong')
  if (error.code === 'account_pending') return t('auth.pending')
  return error.code === 'account_inactive' ? t('auth.inactive') : errorMessage(error)
}

/** Returns the message for the error code of a failed single sign-on; '' for ''. The code may be arbitrary text. */
function ssoError(code: string): string {
  if (code === '') return ''
  return findText(`auth.errors.${code}`) ?? t('auth.errorUnknown')
}
