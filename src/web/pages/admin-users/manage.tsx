import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useSending } from '../../state/sending.ts'
import { toast } from '../../state/toasts.ts'
import { fill, t } from '../../text/index.ts'
import { NewPassword, RemoveUser } from './dialogs.tsx'
import type { User } from './users.tsx'
import { userRefusal } from './words.ts'

interface ManageUserProps {
  readonly user: User
  readonly onChange: () => Promise<void>
}

/** What an administrator can do about an account, each with what it means. */
export function ManageUser({ user, onChange }: ManageUserProps) {
  const texts = t().admin.users
  const { username, state, is_admin } = user
  const path = { username }
  const name = { name: username }
  const { isBusy, error, run } = useSending()
  const asks = useSignal<'password' | 'removal' | undefined>(undefined)
  const close = () => {
    asks.value = undefined
  }

  async function act(work: () => Promise<unknown>, told: string): Promise<void> {
    if (!(await run(work))) return
    toast(fill(told, name))
    await onChange()
  }

  const isActive = state === 'active'
  return (
    <div class="manage">
      {error.value !== undefined && (
        <Notice kind="error">
          <p>{userRefusal(error.value)}</p>
        </Notice>
      )}
      <ul class="rows">
        <Act text={isActive ? texts.deactivateText : activation(state)}>
          <Button
            isBusy={isBusy.value}
            onClick={() =>
              isActive
                ? act(() => call('deactivateUser', { path }), texts.deactivated)
                : act(() => call('activateUser', { path }), texts.activated)
            }
          >
            {isActive ? texts.deactivate : texts.activate}
          </Button>
        </Act>
        <Act text={is_admin ? texts.demoteText : texts.promoteText}>
          <Button
            isBusy={isBusy.value}
            onClick={() =>
              act(
                () => call('setRole', { path, body: { is_admin: !is_admin } }),
                is_admin ? texts.demoted : texts.promoted,
              )
            }
          >
            {is_admin ? texts.demote : texts.promote}
          </Button>
        </Act>
        <Act text={texts.setPasswordText}>
          <Button
            onClick={() => {
              asks.value = 'password'
            }}
          >
            {texts.setPassword}
          </Button>
        </Act>
        <Act text={texts.mailText}>
          <Button isBusy={isBusy.value} onClick={() => act(() => call('mailReset', { path }), texts.mailed)}>
            {texts.mail}
          </Button>
        </Act>
        <Act text={texts.removeText}>
          <Button
            kind="danger"
            onClick={() => {
              asks.value = 'removal'
            }}
          >
            {texts.remove}
          </Button>
        </Act>
      </ul>
      {asks.value === 'password' && (
        <NewPassword username={username} onClose={close} onDone={() => toast(fill(texts.passwordSet, name))} />
      )}
      {asks.value === 'removal' && (
        <RemoveUser
          user={user}
          onClose={close}
          onDone={() => {
            toast(fill(texts.removed, name))
            void onChange()
          }}
        />
      )}
    </div>
  )
}

function Act({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <li class="row-apart">
      <p class="act-text">{text}</p>
      {children}
    </li>
  )
}

function activation(state: User['state']): string {
  const { activateText, activatePending } = t().admin.users
  return state === 'pending_activation' ? `${activateText} ${activatePending}` : activateText
}
