import { useSignal } from '@preact/signals'
import { ApiError, call } from '../../api/client.ts'
import { errorText, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { Door } from '../../components/layout/auth-layout.tsx'
import { useToken } from '../../hooks/use-token.ts'
import { href } from '../../store/paths.ts'
import { t } from '../../text/index.ts'

/** Where the mail about a new account leads. Only the button uses the link: programs that look at mails open links, too. */
export default function ActivatePage() {
  const token = useToken()
  return <Activate key={token} token={token} />
}

function Activate({ token }: { token: string }) {
  const texts = t().door
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
      if (!isBad) error.value = errorText(reason)
    }
  }

  if (state.value === 'done')
    return (
      <Door title={texts.activateTitle}>
        <Notice>
          <p>{texts.activated}</p>
        </Notice>
        <ButtonLink kind="main" href={href('/login')}>
          {texts.signIn}
        </ButtonLink>
      </Door>
    )
  if (state.value === 'bad')
    return (
      <Door title={texts.activateTitle}>
        <Notice kind="error">
          <p>{texts.tokenBad}</p>
          <p>{texts.tokenBadActivate}</p>
        </Notice>
        <ButtonLink href={href('/login')}>{texts.signIn}</ButtonLink>
      </Door>
    )
  return (
    <Door title={texts.activateTitle} lead={texts.activateLead}>
      {error.value && (
        <Notice kind="error">
          <p>{error.value}</p>
        </Notice>
      )}
      <Button kind="main" isBusy={state.value === 'busy'} onClick={activate}>
        {texts.activate}
      </Button>
    </Door>
  )
}
