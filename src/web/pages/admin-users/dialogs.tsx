import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { account } from '../../state/session.ts'
import { isSameName } from '../../state/typed-name.ts'
import { fill, language, plural, t } from '../../text/index.ts'
import type { User } from './users.tsx'
import { userRefusal } from './words.ts'

interface NewPasswordProps {
  readonly username: string
  readonly onClose: () => void
  readonly onDone: () => void
}

export function NewPassword({ username, onClose, onDone }: NewPasswordProps) {
  const texts = t().admin.users
  const password = useSignal('')
  return (
    <FormDialog
      title={fill(texts.setPasswordTitle, { name: username })}
      submit={texts.setPassword}
      wordsFor={userRefusal}
      onSubmit={() => call('setPassword', { path: { username }, body: { password: password.value } })}
      onClose={onClose}
      onDone={onDone}
    >
      <p class="muted">{texts.setPasswordText}</p>
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
    </FormDialog>
  )
}

interface RemoveUserProps {
  readonly user: User
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Asks for the name, so that nobody deletes somebody else by a slip. */
export function RemoveUser({ user, onClose, onDone }: RemoveUserProps) {
  const texts = t().admin.users
  const { devices, podcasts } = t().common
  const { username } = user
  const typed = useSignal('')
  return (
    <FormDialog
      title={fill(texts.removeTitle, { name: username })}
      submit={texts.removeConfirm}
      kind="danger"
      isReady={isSameName(typed.value, username)}
      wordsFor={userRefusal}
      onSubmit={() => call('deleteUser', { path: { username } })}
      onClose={onClose}
      onDone={() => {
        // Whoever has deleted himself is out.
        if (username === account.value?.username) account.value = null
        else onDone()
        // The button that asked goes with the account.
        document.querySelector('h1')?.focus()
      }}
    >
      <p>
        {fill(texts.removeWhat, {
          devices: plural(devices, user.devices, language.value),
          podcasts: plural(podcasts, user.subscriptions, language.value),
        })}
      </p>
      <TextField
        label={fill(texts.removeName, { name: username })}
        value={typed.value}
        onInput={(value) => {
          typed.value = value
        }}
      />
    </FormDialog>
  )
}
