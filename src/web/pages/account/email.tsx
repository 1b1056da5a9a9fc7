import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { useErrorFocus } from '../../components/forms/focus.ts'
import { Section } from '../../components/layout/section.tsx'
import { useMutation } from '../../hooks/use-mutation.ts'
import { t } from '../../locales/index.ts'
import { account } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { fieldError, providerName } from './sign-in.tsx'

export function EmailForm({ isLinked }: { isLinked: boolean }) {
  const email = useSignal(account.value?.email ?? '')
  const password = useSignal('')
  const { isBusy, error, run } = useMutation()
  const form = useErrorFocus(error.value)
  const { field, text } = error.value === undefined ? { field: undefined, text: '' } : fieldError(error.value)

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
    toast(address === '' ? t('account.email.removed') : t('account.email.saved', { email: address }))
  }

  return (
    <Section title={t('account.email.title')} lead={t('account.email.lead')}>
      <form ref={form} class="stack" onSubmit={(event) => void submit(event)}>
        {field !== undefined && field !== 'email' && field !== 'password' && (
          <Notice kind="error">
            <p>{text}</p>
          </Notice>
        )}
        <TextField
          label={t('account.email.label')}
          type="email"
          name="email"
          autoComplete="email"
          hint={t('account.email.none')}
          error={field === 'email' ? text : undefined}
          value={email.value}
          onInput={(value) => {
            email.value = value
          }}
        />
        {account.value?.has_password && (
          <TextField
            label={t('account.password')}
            type="password"
            name="password"
            autoComplete="current-password"
            required={!isLinked}
            hint={isLinked ? t('account.passwordMayLack', { provider: providerName() }) : t('account.passwordConfirm')}
            error={field === 'password' ? text : undefined}
            value={password.value}
            onInput={(value) => {
              password.value = value
            }}
          />
        )}
        <div class="row">
          <Button type="submit" isBusy={isBusy.value} disabled={email.value.trim() === (account.value?.email ?? '')}>
            {t('account.email.save')}
          </Button>
        </div>
      </form>
    </Section>
  )
}
