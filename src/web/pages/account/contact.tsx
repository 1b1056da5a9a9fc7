import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { useRefusedFocus } from '../../components/forms/focus.ts'
import { Section } from '../../components/layout/section.tsx'
import { useSending } from '../../hooks/use-mutation.ts'
import { account } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { fill, t } from '../../text/index.ts'
import { fieldWords, providerName } from './sign-in.tsx'

export function EmailForm({ isLinked }: { isLinked: boolean }) {
  const texts = t().account
  const email = useSignal(account.value?.email ?? '')
  const password = useSignal('')
  const { isBusy, error, run } = useSending()
  const form = useRefusedFocus(error.value)
  const { field, text } = error.value === undefined ? { field: undefined, text: '' } : fieldWords(error.value)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const address = email.value.trim()
    const body = {
      username: account.value?.username ?? null,
      email: address,
      ...(password.value !== '' && { password: password.value }),
    }
    const hasWorked = await run(async () => {
      await call('changeEmail', { body })
      account.value = await call('getOwnAccount')
    })
    if (!hasWorked) return
    password.value = ''
    toast(address === '' ? texts.email.removed : fill(texts.email.saved, { email: address }))
  }

  return (
    <Section title={texts.email.title} lead={texts.email.lead}>
      <form ref={form} class="stack" onSubmit={(event) => void submit(event)}>
        {field !== undefined && field !== 'email' && field !== 'password' && (
          <Notice kind="error">
            <p>{text}</p>
          </Notice>
        )}
        <TextField
          label={texts.email.label}
          type="email"
          name="email"
          autoComplete="email"
          hint={texts.email.none}
          error={field === 'email' ? text : undefined}
          value={email.value}
          onInput={(value) => {
            email.value = value
          }}
        />
        {account.value?.has_password && (
          <TextField
            label={texts.password}
            type="password"
            name="password"
            autoComplete="current-password"
            required={!isLinked}
            hint={isLinked ? fill(texts.passwordMayLack, { provider: providerName() }) : texts.passwordConfirm}
            error={field === 'password' ? text : undefined}
            value={password.value}
            onInput={(value) => {
              password.value = value
            }}
          />
        )}
        <div class="row">
          <Button type="submit" isBusy={isBusy.value} disabled={email.value.trim() === (account.value?.email ?? '')}>
            {texts.email.save}
          </Button>
        </div>
      </form>
    </Section>
  )
}
