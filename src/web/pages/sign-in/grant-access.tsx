import { useLocation, useRoute } from 'preact-iso'
import { ApiError, call } from '../../api/client.ts'
import { ErrorNotice, errorMessage, Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { signOut } from '../../store/account/sign-out.ts'
import { href } from '../../store/paths.ts'
import { account, loadServer } from '../../store/session.ts'

/** The page to which an app sends its user for authorization. It names the app and grants access on a click. */
export default function GrantAccess() {
  const token = String(useRoute().params['token'])
  const { url } = useLocation()
  const { data, error, reload } = useQuery(
    async (signal) => {
      await loadServer()
      return call('getLoginFlow', { path: { token }, signal })
    },
    [token],
  )
  const granting = useMutation()
  const leaving = useMutation()

  if (isGone(error.value) || isGone(granting.error.value))
    return (
      <AuthLayout title={t('auth.grant.title')}>
        <Notice kind="error">{t('auth.grant.gone')}</Notice>
      </AuthLayout>
    )
  if (error.value)
    return (
      <AuthLayout title={t('auth.grant.title')}>
        <Failure error={error.value} onRetry={() => void reload()} />
      </AuthLayout>
    )
  const flow = data.value
  if (!flow) return null
  if (flow.granted || granting.isDone.value)
    return (
      <AuthLayout title={t('auth.grant.done')}>
        <div role="status">
          <Notice>{t('auth.grant.back')}</Notice>
        </div>
      </AuthLayout>
    )
  const { value: user } = account
  const failure = granting.error.value ?? leaving.error.value
  return (
    <AuthLayout title={t('auth.grant.title')} lead={t('auth.grant.lead')}>
      <p>
        <strong>
          <bdi>{flow.client}</bdi>
        </strong>
      </p>
      <Notice kind="warn">{t('auth.grant.warning')}</Notice>
      <ErrorNotice text={errorMessage(failure)} error={failure} />
      {user ? (
        <>
          <p>{t('auth.grant.as', { username: user.username })}</p>
          <Button
            kind="main"
            isBusy={granting.isBusy.value}
            onClick={() => granting.run(() => call('grantLoginFlow', { path: { token } }))}
          >
            {t('auth.grant.button')}
          </Button>
          <Button kind="quiet" isBusy={leaving.isBusy.value} onClick={() => leaving.run(signOut)}>
            {t('auth.grant.other')}
          </Button>
        </>
      ) : (
        <ButtonLink kind="main" href={href('/login', { return_to: url })}>
          {t('auth.signIn')}
        </ButtonLink>
      )}
    </AuthLayout>
  )
}

/** Whether the request of the app is unknown, expired or used. */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found'
}
