import { useSignal } from '@preact/signals'
import { ApiError, call } from '../../api/client.ts'
import { errorText, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Door } from '../../components/layout/auth-layout.tsx'
import { useToken } from '../../hooks/use-token.ts'
import { href } from '../../store/paths.ts'
import { t } from '../../text/index.ts'
import { SignInInstead } from './register.tsx'

/** Asks for a link by mail, or, where the link has led here, for the new password. */
export default function ResetPassword() {
  const token = useToken()
  return token === '' ? <RequestLink /> : <NewPassword key={token} token={token} />
}

function RequestLink() {
  const texts = t().door
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
      error.value = errorText(reason)
    }
    isBusy.value = false
  }

  if (isSent.value)
    return (
      <Door title={texts.forgottenTitle}>
        <Notice>
          <p>{texts.sent}</p>
        </Notice>
        <SignInInstead />
      </Door>
    )
  return (
    <Door title={texts.forgottenTitle} lead={texts.forgottenLead}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextField
          label={texts.email}
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
          {texts.send}
        </Button>
      </form>
      <SignInInstead />
    </Door>
  )
}

function NewPassword({ token }: { token: string }) {
  const texts = t().door
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
      const isBad = reason instanceof ApiError && reason.word === 'invalid_token'
      state.value = isBad ? 'bad' : 'ready'
      if (!isBad) error.value = errorText(reason)
    }
  }

  if (state.value === 'done')
    return (
      <Door title={texts.resetTitle}>
        <Notice>
          <p>{texts.resetDone}</p>
        </Notice>
        <ButtonLink kind="main" href={href('/login')}>
          {texts.signIn}
        </ButtonLink>
      </Door>
    )
  if (state.value === 'bad')
    return (
      <Door title={texts.resetTitle}>
        <Notice kind="error">
          <p>{texts.tokenBad}</p>
          <p>{texts.tokenBadReset}</p>
        </Notice>
        <RequestAgain />
      </Door>
    )
  return (
    <Door title={texts.resetTitle} lead={texts.resetLead}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextField
          label={texts.newPassword}
          type="password"
          name="new-password"
          autoComplete="new-password"
          required
          minLength={4}
          maxLength={256}
          hint={texts.passwordHint}
          error={error.value}
          value={password.value}
          onInput={(value) => {
            password.value = value
          }}
        />
        <Button type="submit" kind="main" isBusy={state.value === 'busy'}>
          {t().common.save}
        </Button>
      </form>
    </Door>
  )
}

/** The page knows of the link no more when it is loaded anew. */
function RequestAgain() {
  return (
    <Button kind="main" onClick={() => location.reload()}>
      {t().door.forgottenTitle}
    </Button>
  )
}
