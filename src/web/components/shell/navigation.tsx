import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { setTo } from '../../hooks/setters.ts'
import { useBackToClose, useLinkInPlace } from '../../hooks/use-back.ts'
import { type PlainKey, t } from '../../locales/index.ts'
import { BASE, href } from '../../store/paths.ts'
import { account } from '../../store/session.ts'
import { Button } from '../forms/button.tsx'
import { closeDialog } from '../forms/dialog.tsx'
import { Icon, Mark } from '../icon.tsx'
import { PAGE_KEYS } from '../shortcut-keys.ts'

type NavName = PlainKey extends infer K ? (K extends `common.nav.${infer Name}` ? Name : never) : never

interface NavPage {
  readonly to: string
  readonly name: NavName
}

const PAGES: readonly NavPage[] = PAGE_KEYS.map(([, to, name]) => ({ to, name }))

const ADMIN_PAGES: readonly NavPage[] = [
  { to: '/admin/users', name: 'users' },
  { to: '/admin/feeds', name: 'feeds' },
  { to: '/admin/server', name: 'server' },
  { to: '/admin/log', name: 'log' },
]

/** Pages with a tab on phones; the others are behind “More”. */
const TABS: readonly string[] = ['/', '/inbox', '/discover', '/listening']
const MORE_PAGES = PAGES.filter(({ to }) => !TABS.includes(to))

const isSheetOpen = signal(false)

export function Brand() {
  return (
    <a class="brand" href={href('/')}>
      <Mark />
      <span>podstep</span>
    </a>
  )
}

/** Sidebar with all pages. */
export function SideNavigation() {
  return (
    <nav class="shell-nav" aria-label={t('common.navigation')}>
      <NavList pages={PAGES} />
      <AdminNavigation />
    </nav>
  )
}

/** Tab bar at the bottom of narrow screens: the most used pages, and a button for the others. */
export function TabBar() {
  const { path } = useLocation()
  // Pages of podcasts and episodes belong neither to a tab nor to “More”.
  const isMore = [...MORE_PAGES, ...ADMIN_PAGES].some(({ to }) => isWithin(path, to))
  return (
    <>
      <nav class="tabs" aria-label={t('common.navigation')}>
        <NavList pages={PAGES.filter(({ to }) => TABS.includes(to))} />
        <button
          type="button"
          class="nav-link"
          aria-haspopup="dialog"
          aria-expanded={isSheetOpen.value}
          data-current={isMore}
          onClick={setTo(isSheetOpen, true)}
        >
          <Icon name="menu" />
          <span>{t('common.more')}</span>
        </button>
      </nav>
      {isSheetOpen.value && <Sheet />}
    </>
  )
}

/** Pages without a tab. Modal, so that the browser keeps the focus inside. */
function Sheet() {
  const dialog = useRef<HTMLDialogElement>(null)
  const close = () => dialog.current?.close()
  useBackToClose(true, close)
  useEffect(() => {
    dialog.current?.showModal()
    // Clicks on the backdrop have the dialog itself as their target.
    dialog.current?.addEventListener('click', ({ target }) => target === dialog.current && close())
    // The sheet is removed without a close event if the window becomes wide.
    return setTo(isSheetOpen, false)
  }, [])
  return (
    <dialog class="sheet" ref={dialog} aria-label={t('common.more')} onClose={setTo(isSheetOpen, false)}>
      <div class="stack sheet-body">
        <header>
          <h2>{t('common.more')}</h2>
          <Button kind="quiet" icon="cross" label={t('common.close')} onClick={closeDialog} />
        </header>
        <NavList pages={MORE_PAGES} />
        <AdminNavigation />
      </div>
    </dialog>
  )
}

function AdminNavigation() {
  if (!account.value?.is_admin) return null
  return (
    <div>
      <p class="nav-heading muted small">{t('common.admin')}</p>
      <NavList pages={ADMIN_PAGES} />
    </div>
  )
}

function NavList({ pages }: { pages: readonly NavPage[] }) {
  const { path } = useLocation()
  const replace = useLinkInPlace()
  return (
    <ul class="nav-list">
      {pages.map(({ to, name }) => (
        <li key={to}>
          <a
            class="nav-link"
            href={href(to)}
            {...(isWithin(path, to) && { 'aria-current': 'page' })}
            onClick={(event) => {
              replace(event)
              closeDialog(event)
            }}
          >
            <Icon name={name} />
            <span>{t(`common.nav.${name}`)}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

function isWithin(path: string, to: string): boolean {
  const own = path.slice(BASE.length) || '/'
  return own === to || (to !== '/' && own.startsWith(to))
}
