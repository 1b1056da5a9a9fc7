import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso'
import { ApiError, isReachable } from './api/client.ts'
import { errorMessage, Notice, ServerMessage } from './components/feedback/notice.tsx'
import { Button } from './components/forms/button.tsx'
import { AuthLayout } from './components/layout/auth-layout.tsx'
import { Later } from './components/layout/later.tsx'
import { Page } from './components/layout/page.tsx'
import { NotFound } from './components/layout/unavailable.tsx'
import { t } from './locales/index.ts'
import Home from './pages/home/home.tsx'
import Activate from './pages/sign-in/activate.tsx'
import GrantAccess from './pages/sign-in/grant-access.tsx'
import Register from './pages/sign-in/register.tsx'
import ResetPassword from './pages/sign-in/reset-password.tsx'
import SignIn from './pages/sign-in/sign-in.tsx'
import { Shell } from './shell.tsx'
import { BASE, href, isPublicPath } from './store/paths.ts'
import { account } from './store/session.ts'

/** In the main file, so that signing in waits for no other. */
const PUBLIC_PAGES = {
  '/login': SignIn,
  '/login/flow/:token': GrantAccess,
  '/register': Register,
  '/activate': Activate,
  '/reset-password': ResetPassword,
}

/** Home is in the main file as well: users who have just signed in, or come back, begin there. All others are in `rest`. */
const PAGES = {
  '/inbox': 'Inbox',
  '/queue': 'Queue',
  '/podcast': 'Podcast',
  '/episode': 'Episode',
  '/add': 'Add',
  '/discover': 'Discover',
  '/listening': 'Listening',
  '/year': 'Year',
  '/favorites': 'Favorites',
  '/devices': 'Devices',
  '/connect': 'Connect',
  '/activity': 'Activity',
  '/transfer': 'Transfer',
  '/account': 'Account',
  '/outlets': 'Outlets',
  '/admin/users': 'Users',
  '/admin/feeds': 'Feeds',
  '/admin/server': 'Server',
  '/admin/log': 'Log',
} as const

const ROUTES = [
  ...Object.entries(PUBLIC_PAGES).map(([path, Content]) => [href(path), boundedPage(Content, AuthLayout)] as const),
  [href('/'), boundedPage(Home, Page)] as const,
  ...Object.entries(PAGES).map(([path, name]) => [href(path), lazyPage(name)] as const),
]

export function App() {
  return (
    <LocationProvider scope={BASE === '' ? '/' : new RegExp(`^${BASE}(/|$)`)}>
      <CurrentPage />
    </LocationProvider>
  )
}

/** The current page. The layout around it stays while the next page is loading. */
function CurrentPage() {
  const { path } = useLocation()
  if (isPublicPath(path)) return <Pages />
  if (!account.value) return <RedirectToSignIn />
  return (
    <Shell>
      <Later before={<div class="blank-title" />}>
        <Pages />
      </Later>
    </Shell>
  )
}

/** Goes to the sign-in page, which returns to the present address. */
function RedirectToSignIn() {
  const { route, url } = useLocation()
  useEffect(() => {
    // The first page is where signing in leads anyway.
    route(href('/login', url === href('/') ? {} : { return_to: url }), true)
  }, [])
  return null
}

function Pages() {
  return (
    <ErrorBoundary>
      <Router>
        {ROUTES.map(([path, component]) => (
          <Route key={path} path={path} component={component} />
        ))}
        <Route default component={NotFound} />
      </Router>
    </ErrorBoundary>
  )
}

/** The layout in which errors are shown. */
type Frame = ComponentType<{ title: string; children: ComponentChildren }>

/** A page whose errors of rendering are shown in its place. */
function boundedPage(Content: ComponentType, Frame: Frame): ComponentType {
  return () => (
    <PageBoundary frame={Frame}>
      <Content />
    </PageBoundary>
  )
}

/** Set in sessionStorage while the client reloads itself to get a new version, so that it does so only once. */
const RELOADED = 'podstep.reloaded'

/** The other pages, once their file is there, and why it could not be loaded. */
const rest = signal<typeof import('./pages/rest.ts') | undefined>(undefined)
const failure = signal<unknown>(undefined)

async function loadRest(): Promise<void> {
  if (rest.value) return
  try {
    rest.value = await import('./pages/rest.ts')
    failure.value = undefined
    sessionStorage.removeItem(RELOADED)
  } catch (reason) {
    failure.value = await reasonFor(reason)
  }
}

/** A page of the file that is loaded when the first of them is shown. If that fails: the error, and a button to retry. */
function lazyPage(name: (typeof PAGES)[keyof typeof PAGES]): ComponentType {
  function LoadedPage() {
    const isBusy = useSignal(false)
    async function again(): Promise<void> {
      isBusy.value = true
      await loadRest()
      isBusy.value = false
    }
    useEffect(() => {
      // The page was left after an error and is shown again.
      if (!rest.value && failure.value === undefined) void again()
      return () => {
        failure.value = undefined
      }
    }, [])
    const Content = rest.value?.[name]
    if (Content)
      return (
        <PageBoundary frame={Page}>
          <Content />
        </PageBoundary>
      )
    const text = failure.value instanceof ApiError ? errorMessage(failure.value) : t('common.errors.unloadable')
    return <PageError frame={Page} text={text} isBusy={isBusy.value} onRetry={() => void again()} />
  }

  return lazy(async () => {
    await loadRest()
    return { default: LoadedPage }
  })
}

/** Shows errors of rendering in place of the page, so that the rest of the client goes on working. */
function PageBoundary({ frame, children }: { frame: Frame; children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary(reportError)
  if (error === undefined) return children
  return <PageError frame={frame} text={errorMessage(error)} error={error} onRetry={reset} />
}

interface PageErrorProps {
  readonly frame: Frame
  readonly text: string
  readonly error?: unknown
  readonly isBusy?: boolean
  readonly onRetry: () => void
}

function PageError({ frame: Frame, text, error, isBusy = false, onRetry }: PageErrorProps) {
  return (
    <Frame title={t('common.errors.title')}>
      <Notice kind="error">
        <p>{text}</p>
        <ServerMessage error={error} />
        <p>
          <Button icon="refresh" isBusy={isBusy} onClick={onRetry}>
            {t('common.retry')}
          </Button>
        </p>
      </Notice>
    </Frame>
  )
}

/** Why a module could not be loaded. If the server answers, it is probably a new version: reloads once. */
async function reasonFor(reason: unknown): Promise<unknown> {
  if (!(await isReachable())) return new ApiError(0, 'offline', 'the server cannot be reached')
  if (sessionStorage.getItem(RELOADED) !== null) {
    sessionStorage.removeItem(RELOADED)
    return reason
  }
  sessionStorage.setItem(RELOADED, '')
  location.reload()
  // Never resolves, since the page is about to be replaced.
  return await new Promise(() => undefined)
}
