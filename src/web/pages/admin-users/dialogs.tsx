import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { t } from '../../locales/index.ts'
import { account, isSameName } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'

export type User = Answer<'listUsers'>[number]

interface NewPasswordProps {
  readonly username: string
  readonly onClose: () => void
  readonly onDone: () => void
}

export function NewPassword({ username, onClose, onDone }: NewPasswordProps) {
  const password = useSignal('')
  return (
    <FormDialog
      title={t('admin.users.setPasswordTitle', { name: username })}
      submit={t('admin.users.setPassword')}
      errorScope="admin.users"
      onSubmit={() => call('setPassword', { path: { username }, body: { password: password.value } })}
      onClose={onClose}
      onDone={onDone}
    >
      <p class="muted">{t('admin.users.setPasswordText')}</p>
      <TextField
        label={t('admin.users.password')}
        type="password"
        autoComplete="new-password"
        required
        minLength={4}
        maxLength={256}
        hint={t('admin.users.passwordHint')}
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

/** Deletes a user. The name has to be typed, so that nobody is deleted by mistake. */
export function RemoveUser({ user, onClose, onDone }: RemoveUserProps) {
  const { username } = user
  const typed = useSignal('')
  return (
    <FormDialog
      title={t('admin.users.removeTitle', { name: username })}
      submit={t('admin.users.removeConfirm')}
      kind="danger"
      isReady={isSameName(typed.value, username)}
      errorScope="admin.users"
      onSubmit={() => call('deleteUser', { path: { username } })}
      onClose={onClose}
      onDone={() => {
        // Administrators who have deleted themselves are signed out.
        if (username === account.value?.username) account.value = null
        else onDone()
        // The button that had the focus disappears with the user.
        document.querySelector('h1')?.focus()
      }}
    >
      <p>
        {t('admin.users.removeWhat', {
          devices: t('common.devices', { n: user.devices }),
          podcasts: t('common.podcasts', { n: user.subscriptions }),
        })}
      </p>
      <TextField
        label={t('admin.users.removeName', { name: username })}
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
      title={t('admin.users.createTitle')}
      submit={t('admin.users.create')}
      errorScope="admin.users"
      onSubmit={create}
      onClose={onClose}
      onDone={() => {
        toast(t('admin.users.created', { name: username.value.trim() }))
        onDone()
      }}
    >
      <p class="muted">{t('admin.users.createText')}</p>
      <TextField
        label={t('admin.users.username')}
        required
        maxLength={64}
        hint={t('admin.users.usernameHint')}
        value={username.value}
        onInput={(value) => {
          username.value = value
        }}
      />
      <TextField
        label={t('admin.users.password')}
        type="password"
        autoComplete="new-password"
        required
        minLength={4}
        maxLength={256}
        hint={t('admin.users.passwordHint')}
        value={password.value}
        onInput={(value) => {
          password.value = value
        }}
      />
      <TextField
        label={t('admin.users.email')}
        type="email"
        isOptional
        hint={t('admin.users.emailHint')}
        value={email.value}
        onInput={(value) => {
          email.value = value
        }}
      />
    </FormDialog>
  )
}
