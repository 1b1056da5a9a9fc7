import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { refusalText } from '../../components/feedback/error-message.ts'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { isSameName } from '../../store/imports.ts'
import { account } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { fill, language, plural, t } from '../../text/index.ts'
import type { User } from './admin-users.tsx'

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

/** Why something about an account was refused. */
export function userRefusal(error: unknown): string {
  const { refusals, fields } = t().admin.users
  return refusalText(error, refusals, fields)
}
