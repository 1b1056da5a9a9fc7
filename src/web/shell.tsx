import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { attempt } from './components/feedback/notice.tsx'
import { Button } from './components/forms/button.tsx'
import { Select } from './components/forms/choice.tsx'
import { restoreFocus } from './components/forms/focus.ts'
import { languageChoice, themeChoice } from './components/forms/preferences.tsx'
import { Icon, Mark } from './components/icon.tsx'
import { PAGE_KEYS } from './components/shortcut-keys.ts'
import { Shortcuts } from './components/shortcuts.tsx'
import { setTo } from './hooks/setters.ts'
import { type PlainKey, t } from './locales/index.ts'
import { BASE, href } from './store/paths.ts'
import { account, signOut } from './store/session.ts'
import { type Toast, toastStore, toasts } from './store/toasts.ts'

const isMenuOpen = signal(false)

type NavName = PlainKey extends infer K ? (K extends `common.nav.${infer Name}` ? Name : never) : never

const ADMIN_PAGES: readonly [path: string, name: NavName][] = [
  ['/admin/users', 'users'],
  ['/admin/feeds', 'feeds'],
  ['/admin/server', 'server'],
]

/** The navigation around every page of users who are signed in. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation()
  const top = useRef<HTMLElement>(null)
  const side = useRef<HTMLDivElement>(null)
  const main = useRef<HTMLElement>(null)
  // Must run before the new page focuses its heading, which is impossible while the menu makes the page inert.
  useLayoutEffect(close, [path])
  useEffect(closeWhenWide, [])
  useEffect(() => {
    if (!isMenuOpen.value) return undefined
    side.current?.querySelector('a')?.focus()
    document.addEventListener('keydown', closeByEscape)
    return () => {
      document.removeEventListener('keydown', closeByEscape)
      // The next page may have focused its heading already.
      if (!main.current?.contains(document.activeElement)) top.current?.querySelector('button')?.focus()
    }
  }, [isMenuOpen.value])
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        {t('common.skip')}
      </button>
      <div class="shell">
        <header class="shell-top" ref={top} inert={isMenuOpen.value}>
          <Brand />
          <Button
            kind="quiet"
            icon="menu"
            label={t('common.menu')}
            aria-expanded={isMenuOpen.value}
            aria-controls="navigation"
            onClick={setTo(isMenuOpen, true)}
          />
        </header>
        {isMenuOpen.value && <button type="button" class="shell-veil" aria-label={t('common.close')} onClick={close} />}
        <div ref={side} class="shell-side" id="navigation" data-open={isMenuOpen.value}>
          <header>
            <Brand />
          </header>
          <nav class="shell-nav" aria-label={t('common.navigation')}>
            <ul class="nav-list">
              {PAGE_KEYS.map(([, to, name]) => (
                <NavLink key={to} to={to} name={name} path={path} />
              ))}
            </ul>
            {account.value?.is_admin && (
              <div>
                <p class="nav-heading">{t('common.admin')}</p>
                <ul class="nav-list">
                  {ADMIN_PAGES.map(([to, name]) => (
                    <NavLink key={to} to={to} name={name} path={path} />
                  ))}
                </ul>
              </div>
            )}
          </nav>
          <NavFoot />
        </div>
        <main ref={main} class="shell-main" id="main" tabIndex={-1} inert={isMenuOpen.value}>
          {children}
        </main>
      </div>
      <Toasts />
      <Shortcuts />
    </>
  )
}

function Brand() {
  return (
    <a class="brand" href={href('/')}>
      <Mark />
      <span>podstep</span>
    </a>
  )
}

function NavLink({ to, name, path }: { to: string; name: NavName; path: string }) {
  const isCurrent = path.slice(BASE.length) === to || (to !== '/' && path.slice(BASE.length).startsWith(to))
  return (
    <li>
      <a class="nav-link" href={href(to)} {...(isCurrent && { 'aria-current': 'page' })}>
        <Icon name={name} />
        {t(`common.nav.${name}`)}
      </a>
    </li>
  )
}

function NavFoot() {
  return (
    <footer class="nav-foot">
      <Select {...themeChoice()} />
      <Select {...languageChoice()} />
      <Button kind="quiet" onClick={() => attempt(signOut)}>
        {t('common.signOut')}
      </Button>
    </footer>
  )
}

function close(): void {
  isMenuOpen.value = false
}

function closeByEscape({ key }: KeyboardEvent): void {
  if (key === 'Escape') close()
}

/** Closes the menu when the window gets wide enough to show the navigation all the time. */
function closeWhenWide(): () => void {
  const narrow = matchMedia('(max-width: 56rem)')
  narrow.addEventListener('change', close)
  return () => narrow.removeEventListener('change', close)
}

/** Focuses the content. Not a link, because `#main` is relative to the base address and would lead to another page. */
function skip(): void {
  document.getElementById('main')?.focus()
}

/** The messages in the corner. A message stays while it is pointed at or has the focus. */
function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite" aria-atomic="false">
      {toasts.value.map((toast) => (
        <ToastItem key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastItem({ toast: { id, text, action } }: { toast: Toast }) {
  const hold = () => toastStore.hold(id)
  function release({ currentTarget }: Event): void {
    if (currentTarget instanceof Element && !currentTarget.matches(':hover, :focus-within')) toastStore.release(id)
  }
  function end(): void {
    toastStore.remove(id)
    restoreFocus(document.querySelector('h1'))
  }
  return (
    <div class="toast" onPointerEnter={hold} onPointerLeave={release} onFocusIn={hold} onFocusOut={release}>
      <span>{text}</span>
      <div class="toast-actions">
        {action && (
          <Button
            kind="quiet"
            onClick={() => {
              action.run()
              end()
            }}
          >
            {action.label}
          </Button>
        )}
        <Button kind="quiet" icon="cross" label={t('common.close')} onClick={end} />
      </div>
    </div>
  )
}
