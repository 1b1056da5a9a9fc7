import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { SearchBox } from '../../parts/field.tsx'
import { Failure } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useLoad } from '../../state/load.ts'
import { account } from '../../state/session.ts'
import { language, plural, t } from '../../text/index.ts'
import { CreateUser } from './create.tsx'
import { UserItem } from './item.tsx'

export type User = Answer<'listUsers'>[number]

/** Accounts from which on there is a way to look for one. */
const MANY = 8

/** Everybody with an account. */
export function Users() {
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
