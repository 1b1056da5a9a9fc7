import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answer, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { setTo } from '../../hooks/setters.ts'
import { useMutation } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { account, isSameName, server } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'

/** The actions on a user, each with an explanation. */
export function ManageUser({ user, onChange }: { user: User; onChange: () => Promise<void> }) {
  const { username, state, is_admin } = user
  const path = { username }
  const name = { name: username }
  const dialog = useSignal<'password' | 'removal' | undefined>(undefined)
  const close = setTo(dialog, undefined)

  async function finish(request: Promise<unknown>, message: string): Promise<void> {
    await request
    toast(message)
    await onChange()
  }

  const isActive = state === 'active'
  const obstacle = resetObstacle(user, server.value?.mail ?? true)
  return (
    <div class="manage">
      <ul class="rows">
        <ActionButtonRow
          text={isActive ? t('admin.users.deactivateText') : activation(state)}
          label={isActive ? t('admin.users.deactivate') : t('admin.users.activate')}
          work={() =>
            isActive
              ? finish(call('deactivateUser', { path }), t('admin.users.deactivated', name))
              : finish(call('activateUser', { path }), t('admin.users.activated', name))
          }
        />
        <ActionButtonRow
          text={is_admin ? t('admin.users.demoteText') : t('admin.users.promoteText')}
          label={is_admin ? t('admin.users.demote') : t('admin.users.promote')}
          work={() =>
            finish(
              call('setRole', { path, body: { is_admin: !is_admin } }),
              is_admin ? t('admin.users.demoted', name) : t('admin.users.promoted', name),
            )
          }
        />
        <ActionRow text={t('admin.users.setPasswordText')}>
          <Button onClick={setTo(dialog, 'password')}>{t('admin.users.setPassword')}</Button>
        </ActionRow>
        <ActionButtonRow
          text={t(obstacle ? `admin.users.errors.${obstacle}` : 'admin.users.mailText')}
          label={t('admin.users.mail')}
          isOff={obstacle !== undefined}
          work={() => finish(call('mailReset', { path }), t('admin.users.mailed', name))}
        />
        <ActionRow text={t('admin.users.removeText')}>
          <Button kind="danger" onClick={setTo(dialog, 'removal')}>
            {t('admin.users.remove')}
          </Button>
        </ActionRow>
      </ul>
      {dialog.value === 'password' && (
        <NewPassword username={username} onClose={close} onDone={() => toast(t('admin.users.passwordSet', name))} />
      )}
      {dialog.value === 'removal' && (
        <RemoveUser
          user={user}
          onClose={close}
          onDone={() => {
            toast(t('admin.users.removed', name))
            void onChange()
          }}
        />
      )}
    </div>
  )
}

function activation(state: User['state']): string {
  return state === 'pending_activation'
    ? `${t('admin.users.activateText')} ${t('admin.users.activatePending')}`
    : t('admin.users.activateText')
}

interface ActProps {
  /** What the action does, or why it is not possible. */
  readonly text: string
  readonly label: string
  readonly isOff?: boolean
  readonly work: () => Promise<unknown>
}

/** An action without a dialog. An error is shown beside it, and the focus stays on its button. */
function ActionButtonRow({ text, label, isOff = false, work }: ActProps) {
  const { isBusy, error, run } = useMutation()

  async function press({ currentTarget }: MouseEvent): Promise<void> {
    await run(work)
    if (currentTarget instanceof HTMLElement) restoreFocus(currentTarget)
  }

  return (
    <ActionRow text={text}>
      <Button isBusy={isBusy.value} disabled={isOff} onClick={press}>
        {label}
      </Button>
      {error.value !== undefined && (
        <p class="field-error act-error" role="alert">
          {errorMessage(error.value, 'admin.users')}
        </p>
      )}
    </ActionRow>
  )
}

/** The explanation of an action, and its button. */
function ActionRow({ text, children }: { readonly text: string; readonly children: ComponentChildren }) {
  return (
    <li class="action">
      <p class="action-text">{text}</p>
      {children}
    </li>
  )
}

/** The error code with which the server would reject sending a reset link to a user; undefined if it can be sent. */
function resetObstacle({ email, state }: User, canMail: boolean) {
  if (!canMail) return 'smtp_unconfigured'
  if (state !== 'active') return 'not_active'
  return email === '' ? 'no_email' : undefined
}

export type User = Answer<'listUsers'>[number]

function NewPassword({ username, onClose, onDone }: { username: string; onClose: () => void; onDone: () => void }) {
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
        kind="newPassword"
        label={t('admin.users.password')}
        hint={t('admin.users.passwordHint')}
        value={password}
      />
    </FormDialog>
  )
}

/** Deletes a user. The name has to be typed, so that nobody is deleted by mistake. */
function RemoveUser({ user, onClose, onDone }: { user: User; onClose: () => void; onDone: () => void }) {
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
      <TextField label={t('admin.users.removeName', { name: username })} value={typed} />
    </FormDialog>
  )
}

export function CreateUser({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
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
        value={username}
      />
      <TextField
        kind="newPassword"
        label={t('admin.users.password')}
        hint={t('admin.users.passwordHint')}
        value={password}
      />
      <TextField
        label={t('admin.users.email')}
        type="email"
        isOptional
        hint={t('admin.users.emailHint')}
        value={email}
      />
    </FormDialog>
  )
}
