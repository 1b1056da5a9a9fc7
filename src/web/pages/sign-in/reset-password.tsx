import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Form } from '../../components/forms/form.tsx'
import { AuthLayout } from '../../components/layout/auth-layout.tsx'
import { useMutation } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { MailedLink, useLink } from './mailed-link.tsx'
import { SignInInstead, SignInLater } from './register.tsx'

/** Asks for an email address to send a link to or, if opened by such a link, for the new password. */
export default function ResetPassword() {
  const { token } = useLink()
  return token === '' ? <RequestLink /> : <NewPassword key={token} token={token} />
}

function RequestLink() {
  const email = useSignal('')
  const { isBusy, isDone, error, run } = useMutation()
  if (isDone.value) return <SignInLater title={t('auth.forgottenTitle')} text={t('auth.sent')} />
  return (
    <AuthLayout title={t('auth.forgottenTitle')} lead={t('auth.forgottenLead')} isForm>
      <Form
        error={error.value}
        onSubmit={() => run(() => call('requestPasswordReset', { body: { email: email.value } }))}
      >
        <TextField kind="email" label={t('auth.email')} required error={errorMessage(error.value)} value={email} />
        <Button type="submit" kind="main" isBusy={isBusy.value}>
          {t('auth.send')}
        </Button>
      </Form>
      <SignInInstead />
    </AuthLayout>
  )
}

function NewPassword({ token }: { token: string }) {
  const password = useSignal('')
  return (
    <MailedLink
      title={t('auth.resetTitle')}
      lead={t('auth.resetLead')}
      token={token}
      onSubmit={() => call('confirmPasswordReset', { body: { token, new_password: password.value } })}
      submit={t('common.save')}
      done={t('auth.resetDone')}
      advice={t('auth.tokenBadReset')}
      retry={
        // Reloads the page without the token.
        <Button kind="main" onClick={() => location.reload()}>
          {t('auth.forgottenTitle')}
        </Button>
      }
      fields={(error) => (
        <TextField
          kind="newPassword"
          label={t('auth.newPassword')}
          name="new-password"
          hint={t('auth.passwordHint')}
          error={error}
          value={password}
        />
      )}
    />
  )
}
