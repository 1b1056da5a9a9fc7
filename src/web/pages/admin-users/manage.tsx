import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Button } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { useMutation } from '../../hooks/use-mutation.ts'
import { t } from '../../locales/index.ts'
import { server } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { NewPassword, RemoveUser, type User } from './dialogs.tsx'

interface ManageUserProps {
  readonly user: User
  readonly onChange: () => Promise<void>
}

/** The actions on a user, each with an explanation. */
export function ManageUser({ user, onChange }: ManageUserProps) {
  const { username, state, is_admin } = user
  const path = { username }
  const name = { name: username }
  const dialog = useSignal<'password' | 'removal' | undefined>(undefined)
  const close = () => {
    dialog.value = undefined
  }

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
          <Button
            onClick={() => {
              dialog.value = 'password'
            }}
          >
            {t('admin.users.setPassword')}
          </Button>
        </ActionRow>
        <ActionButtonRow
          text={t(obstacle ? `admin.users.errors.${obstacle}` : 'admin.users.mailText')}
          label={t('admin.users.mail')}
          isOff={obstacle !== undefined}
          work={() => finish(call('mailReset', { path }), t('admin.users.mailed', name))}
        />
        <ActionRow text={t('admin.users.removeText')}>
          <Button
            kind="danger"
            onClick={() => {
              dialog.value = 'removal'
            }}
          >
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

interface Recipient {
  /** '' if the user has none. */
  readonly email: string
  readonly state: 'active' | 'inactive' | 'pending_activation'
}

/** The error code with which the server would reject sending a reset link to a user; undefined if it can be sent. */
export function resetObstacle(
  { email, state }: Recipient,
  canMail: boolean,
): 'smtp_unconfigured' | 'not_active' | 'no_email' | undefined {
  if (!canMail) return 'smtp_unconfigured'
  if (state !== 'active') return 'not_active'
  return email === '' ? 'no_email' : undefined
}
