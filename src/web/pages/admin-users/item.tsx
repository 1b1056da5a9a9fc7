import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { account } from '../../state/session.ts'
import { date, fill, language, plural, t } from '../../text/index.ts'
import { ManageUser } from './manage.tsx'
import type { User } from './users.tsx'

interface UserItemProps {
  readonly user: User
  readonly onChange: () => Promise<void>
}

const LOOKS = { active: '', inactive: 'chip-bad', pending_activation: 'chip-warn' } as const

/** An account: who it is, how much it has, and behind a button what can be done about it. */
export function UserItem({ user, onChange }: UserItemProps) {
  const { users: texts } = t().admin
  const { common } = t()
  const { username, email, state, is_admin, devices, subscriptions, created } = user
  const isOpen = useSignal(false)
  const id = useId()
  return (
    <>
      <div class="row-apart">
        <div class="stack-small">
          <h2 class="user-name row">
            <bdi>{username}</bdi>
            {username === account.value?.username && <span class="chip">{texts.you}</span>}
            {is_admin && <span class="chip chip-good">{texts.administrator}</span>}
            {state !== 'active' && <span class={`chip ${LOOKS[state]}`}>{texts.states[state]}</span>}
          </h2>
          <Facts
            facts={[
              <bdi key="email">{email === '' ? texts.noEmail : email}</bdi>,
              plural(common.devices, devices, language.value),
              plural(common.podcasts, subscriptions, language.value),
              fill(texts.since, { date: date(created) }),
            ]}
          />
        </div>
        <Button
          icon="edit"
          aria-expanded={isOpen.value}
          aria-controls={id}
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          {texts.manage}
          <span class="hidden-text">: {username}</span>
        </Button>
      </div>
      <div id={id} hidden={!isOpen.value}>
        {isOpen.value && <ManageUser user={user} onChange={onChange} />}
      </div>
    </>
  )
}
