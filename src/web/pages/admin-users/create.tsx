import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { toast } from '../../state/toasts.ts'
import { fill, t } from '../../text/index.ts'
import { userRefusal } from './words.ts'

interface CreateUserProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

export function CreateUser({ onClose, onDone }: CreateUserProps) {
  const texts = t().admin.users
  const username = useSignal('')
  const password = useSignal('')
  const email = useSignal('')

  function create(): Promise<unknown> {
    const address = email.value.trim()
    return call('createUser', {
      body: { username: username.value.trim(), password: password.value, ...(address !== '' && { email: address }) },
    })
  }

  return (
    <FormDialog
      title={texts.createTitle}
      submit={texts.create}
      wordsFor={userRefusal}
      onSubmit={create}
      onClose={onClose}
      onDone={() => {
        toast(fill(texts.created, { name: username.value.trim() }))
        onDone()
      }}
    >
      <p class="muted">{texts.createText}</p>
      <TextField
        label={texts.username}
        required
        maxLength={64}
        hint={texts.usernameHint}
        value={username.value}
        onInput={(value) => {
          username.value = value
        }}
      />
      <TextField
        label={texts.password}
        type="password"
        autoComplete="new-password"
        required
        minLength={4}
        maxLength={256}
        hint={texts.passwordHint}
        value={password.value}
        onInput={(value) => {
          password.value = value
        }}
      />
      <TextField
        label={texts.email}
        type="email"
        isOptional
        hint={texts.emailHint}
        value={email.value}
        onInput={(value) => {
          email.value = value
        }}
      />
    </FormDialog>
  )
}
