import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { server } from '../../state/server.ts'
import { toast } from '../../state/toasts.ts'
import { fill, t } from '../../text/index.ts'
import { Act, ActRow } from './act.tsx'
import { NewPassword, RemoveUser } from './dialogs.tsx'
import { resetObstacle } from './reset-obstacle.ts'
import type { User } from './users.tsx'

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
  const asks = useSignal<'password' | 'removal' | undefined>(undefined)
  const close = () => {
    asks.value = undefined
  }

  async function act(answer: Promise<unknown>, told: string): Promise<void> {
    await answer
    toast(fill(told, name))
    await onChange()
  }

  const isActive = state === 'active'
  const obstacle = resetObstacle(user, server.value?.mail ?? true)
  return (
    <div class="manage">
      <ul class="rows">
        <Act
          text={isActive ? texts.deactivateText : activation(state)}
          label={isActive ? texts.deactivate : texts.activate}
          work={() =>
            isActive
              ? act(call('deactivateUser', { path }), texts.deactivated)
              : act(call('activateUser', { path }), texts.activated)
          }
        />
        <Act
          text={is_admin ? texts.demoteText : texts.promoteText}
          label={is_admin ? texts.demote : texts.promote}
          work={() =>
            act(call('setRole', { path, body: { is_admin: !is_admin } }), is_admin ? texts.demoted : texts.promoted)
          }
        />
        <ActRow text={texts.setPasswordText}>
          <Button
            onClick={() => {
              asks.value = 'password'
            }}
          >
            {texts.setPassword}
          </Button>
        </ActRow>
        <Act
          text={(obstacle && texts.refusals[obstacle]) ?? texts.mailText}
          label={texts.mail}
          isOff={obstacle !== undefined}
          work={() => act(call('mailReset', { path }), texts.mailed)}
        />
        <ActRow text={texts.removeText}>
          <Button
            kind="danger"
            onClick={() => {
              asks.value = 'removal'
            }}
          >
            {texts.remove}
          </Button>
        </ActRow>
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

function activation(state: User['state']): string {
  const { activateText, activatePending } = t().admin.users
  return state === 'pending_activation' ? `${activateText} ${activatePending}` : activateText
}
