import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { type Answer, call } from '../../api/client.ts'
import { Failure } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { AdminOnly } from '../../components/layout/admin-only.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Facts } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useLoad } from '../../hooks/use-query.ts'
import { account } from '../../store/session.ts'
import { date, fill, language, plural, t } from '../../text/index.ts'
import { CreateUser } from './dialogs.tsx'
import { ManageUser } from './manage.tsx'

export default function AdminUsers() {
  return (
    <AdminOnly title={t().admin.users.title}>
      <Users />
    </AdminOnly>
  )
}

export type User = Answer<'listUsers'>[number]

/** Accounts from which on there is a way to look for one. */
const MANY = 8

/** Everybody with an account. */
function Users() {
  const texts = t().admin.users
  const { data, error, reload } = useLoad((signal) => call('listUsers', { signal }))
  const wanted = useSignal('')
  const isCreating = useSignal(false)
  const users = data.value
  const shown = (users ?? []).filter(matches(wanted.value))

  async function changed(): Promise<void> {
    await reload()
    const own = data.value?.find(({ username }) => username === account.value?.username)
    // Whoever has taken the role from himself is out.
    if (own && account.value && own.is_admin !== account.value.is_admin)
      account.value = { ...account.value, is_admin: own.is_admin }
  }

  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <Button
          kind="main"
          icon="plus"
          onClick={() => {
            isCreating.value = true
          }}
        >
          {texts.create}
        </Button>
      }
    >
      <div class="stack">
        {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
        {!users && !error.value && <Skeleton height="6.5rem" count={3} />}
        {users && users.length >= MANY && (
          <SearchBox
            label={texts.filter}
            value={wanted.value}
            onInput={(value) => {
              wanted.value = value
            }}
          />
        )}
        {users && (
          <>
            <p class="muted" role="status">
              {shown.length === 0 ? texts.noMatch : plural(texts.count, shown.length, language.value)}
            </p>
            <ul class="admin-list">
              {shown.map((user) => (
                <li class="card user" key={user.username}>
                  <UserItem user={user} onChange={changed} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      {isCreating.value && (
        <CreateUser
          onClose={() => {
            isCreating.value = false
          }}
          onDone={() => void reload()}
        />
      )}
    </Page>
  )
}

function matches(wanted: string): (user: User) => boolean {
  const text = wanted.trim().toLowerCase()
  return ({ username, email }) => username.toLowerCase().includes(text) || email.toLowerCase().includes(text)
}

interface UserItemProps {
  readonly user: User
  readonly onChange: () => Promise<void>
}

const LOOKS = { active: '', inactive: 'chip-bad', pending_activation: 'chip-warn' } as const

/** An account: who it is, how much it has, and behind a button what can be done about it. */
function UserItem({ user, onChange }: UserItemProps) {
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
