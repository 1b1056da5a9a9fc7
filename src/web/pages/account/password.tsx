import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useRefusedFocus } from '../../parts/refused-focus.ts'
import { Section } from '../../parts/section.tsx'
import { useSending } from '../../state/sending.ts'
import { account } from '../../state/session.ts'
import { toast } from '../../state/toasts.ts'
import { fill, t } from '../../text/index.ts'
import { sessionChanges } from './sessions.tsx'
import { fieldWords, providerName } from './words.ts'

/** A new password, or the first one of somebody who signs in at a provider. */
export function PasswordForm({ isLinked }: { isLinked: boolean }) {
  const texts = t().account
  const hasOne = account.value?.has_password === true
  const old = useSignal('')
  const password = useSignal('')
  const { isBusy, error, run } = useSending()
  const form = useRefusedFocus(error.value)
  const { field, text } = error.value === undefined ? { field: undefined, text: '' } : fieldWords(error.value)
  const provider = providerName()

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const body = {
      username: account.value?.username ?? null,
      new_password: password.value,
      ...(old.value !== '' && { old_password: old.value }),
    }
    if (!(await run(() => call('changePassword', { body })))) return
    old.value = ''
    password.value = ''
    sessionChanges.value++
    toast(hasOne ? texts.newPassword.saved : texts.newPassword.isSet)
    if (account.value) account.value = { ...account.value, has_password: true }
  }

  return (
    <Section
      title={texts.newPassword.title}
      lead={hasOne ? texts.newPassword.lead : fill(texts.newPassword.leadSet, { provider })}
    >
      <form ref={form} class="stack" onSubmit={(event) => void submit(event)}>
        {/* For password managers, so that they know whose password it is. */}
        <input type="text" name="username" autoComplete="username" value={account.value?.username} readOnly hidden />
        {field !== undefined && field !== 'old_password' && field !== 'new_password' && (
          <Notice kind="error">
            <p>{text}</p>
          </Notice>
        )}
        {hasOne && (
          <TextField
            label={texts.newPassword.old}
            type="password"
            name="old-password"
            autoComplete="current-password"
            required={!isLinked}
            hint={isLinked && fill(texts.passwordMayLack, { provider })}
            error={field === 'old_password' ? text : undefined}
            value={old.value}
            onInput={(value) => {
              old.value = value
            }}
          />
        )}
        <TextField
          label={texts.newPassword.label}
          type="password"
          name="new-password"
          autoComplete="new-password"
          required
          minLength={4}
          maxLength={256}
          hint={texts.newPassword.hint}
          error={field === 'new_password' ? text : undefined}
          value={password.value}
          onInput={(value) => {
            password.value = value
          }}
        />
        <div class="row">
          <Button type="submit" isBusy={isBusy.value}>
            {hasOne ? texts.newPassword.save : texts.newPassword.set}
          </Button>
        </div>
      </form>
    </Section>
  )
}
