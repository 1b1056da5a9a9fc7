import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { call } from '../../api/client.ts'
import { QueryState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { MetaLine, Page, Skeleton } from '../../components/layout/page.tsx'
import { adminPage } from '../../components/layout/unavailable.tsx'
import { initialsOf } from '../../components/podcast/artwork.tsx'
import { setTo, setter } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { date, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account } from '../../store/session.ts'
import { type IssuedInvitation, isLastAdmin, stateOf, type User } from './invitation.ts'
import { InvitationCard, InviteUser } from './invite.tsx'
import { ManageUser } from './manage.tsx'

export default adminPage('admin.users.title', Users)

/** Number of users from which a search box is shown. */
const SEARCH_FROM = 8

function Users() {
  const query = useQuery((signal) => call('listUsers', { signal }))
  const filter = useSignal('')
  const { route } = useLocation()
  // The checklist links to this page with the dialog open.
  const isInviting = useSignal(useSearchParam('invite') !== '')
  const invitation = useSignal<IssuedInvitation | undefined>(undefined)
  const users = query.data.value
  const shown = (users ?? []).filter(matches(filter.value))

  async function changed(): Promise<void> {
    await query.reload()
    const own = query.data.value?.find(({ username }) => username === account.value?.username)
    // Administrators who remove their own role lose access to this page.
    if (own && account.value && own.is_admin !== account.value.is_admin)
      account.value = { ...account.value, is_admin: own.is_admin }
  }

  function endInviting(): void {
    isInviting.value = false
    if (location.search !== '') route(href('/admin/users'), true)
  }

  return (
    <Page
      title={t('admin.users.title')}
      lead={t('admin.users.lead')}
      actions={
        <Button kind="main" icon="plus" onClick={setTo(isInviting, true)}>
          {t('admin.users.invite')}
        </Button>
      }
    >
      <div class="stack">
        <QueryState query={query} skeleton={<Skeleton height="6.5rem" count={3} />} />
        {users && users.length >= SEARCH_FROM && <SearchBox label={t('admin.users.filter')} value={filter} />}
        {users && (
          <>
            <p class="muted" role="status">
              {shown.length === 0 ? t('admin.users.noMatch') : t('admin.users.count', { n: shown.length })}
            </p>
            <ul class="admin-list users">
              {shown.map((user) => (
                <li class="card user" key={user.username}>
                  <UserItem
                    user={user}
                    isLastAdmin={isLastAdmin(user, users)}
                    onChange={changed}
                    onInvite={setter(invitation)}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      {isInviting.value && (
        <InviteUser
          onClose={endInviting}
          onDone={(made) => {
            invitation.value = made
            void query.reload()
          }}
        />
      )}
      {invitation.value && <InvitationCard invitation={invitation.value} onClose={setTo(invitation, undefined)} />}
    </Page>
  )
}

function matches(filter: string): (user: User) => boolean {
  const text = filter.trim().toLowerCase()
  return ({ username, email }) => username.toLowerCase().includes(text) || email.toLowerCase().includes(text)
}

const LOOKS = {
  active: '',
  inactive: 'chip-bad',
  pending_activation: 'chip-warn',
  invited: 'chip-warn',
  expired: 'chip-bad',
} as const

interface UserItemProps {
  readonly user: User
  readonly isLastAdmin: boolean
  readonly onChange: () => Promise<void>
  readonly onInvite: (invitation: IssuedInvitation) => void
}

/** A user, with a button that shows the available actions. */
function UserItem(props: UserItemProps) {
  const { user } = props
  const { username, email, is_admin, second_factor, devices, subscriptions, created, invitation } = user
  const isOpen = useSignal(false)
  const id = useId()
  const state = stateOf(user, new Date().toISOString())
  return (
    <>
      <div class="user-head">
        <span class="avatar" data-initials={initialsOf(username)} />
        <h2 class="user-name row">
          <bdi>{username}</bdi>
          {username === account.value?.username && <span class="chip">{t('admin.users.you')}</span>}
          {is_admin && <span class="chip chip-good">{t('admin.users.administrator')}</span>}
          {state !== 'active' && <span class={`chip ${LOOKS[state]}`}>{t(`admin.users.states.${state}`)}</span>}
        </h2>
        <Button
          icon="edit"
          about={username}
          aria-expanded={isOpen.value}
          aria-controls={id}
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          {t('admin.users.manage')}
        </Button>
        <MetaLine
          items={[
            <bdi key="email">{email === '' ? t('admin.users.noEmail') : email}</bdi>,
            ...(invitation
              ? [state === 'invited' && t('admin.users.invitation.until', { date: date(invitation.expires) })]
              : [
                  t('common.devices', { n: devices }),
                  t('common.podcasts', { n: subscriptions }),
                  t('admin.users.since', { date: date(created) }),
                  second_factor && t('admin.users.secondFactor'),
                ]),
          ]}
        />
      </div>
      <div id={id} hidden={!isOpen.value}>
        {isOpen.value && <ManageUser {...props} />}
      </div>
    </>
  )
}
