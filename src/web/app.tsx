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

/** Bundled with the main file, so that the sign-in page needs no other. */
const PUBLIC_PAGES = {
  '/login': SignIn,
  '/login/flow/:token': GrantAccess,
  '/register': Register,
  '/activate': Activate,
  '/reset-password': ResetPassword,
}

/** Pages of the `rest` bundle. Home is in the main file, because most visits start there. */
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

/** Redirects to the sign-in page, which returns to the current URL. */
function RedirectToSignIn() {
  const { route, url } = useLocation()
  useEffect(() => {
    // Sign-in leads to the first page by default.
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

/** Layout around an error. */
type Frame = ComponentType<{ title: string; children: ComponentChildren }>

/** Wraps a page so that rendering errors are shown in its place. */
function boundedPage(Content: ComponentType, Frame: Frame): ComponentType {
  return () => (
    <PageBoundary frame={Frame}>
      <Content />
    </PageBoundary>
  )
}

/** Key in sessionStorage, set while the client reloads to get a new version, so that it reloads only once. */
const RELOADED = 'podstep.reloaded'

/** The other pages once loaded, and the error if loading failed. */
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

/** Creates a page that loads the `rest` bundle on first use. Shows the error and a retry button if that fails. */
function lazyPage(name: (typeof PAGES)[keyof typeof PAGES]): ComponentType {
  function LoadedPage() {
    const isBusy = useSignal(false)
    async function retry(): Promise<void> {
      isBusy.value = true
      await loadRest()
      isBusy.value = false
    }
    useEffect(() => {
      // The user has left the page after an error and returned.
      if (!rest.value && failure.value === undefined) void retry()
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
    return <PageError frame={Page} text={text} isBusy={isBusy.value} onRetry={() => void retry()} />
  }

  return lazy(async () => {
    await loadRest()
    return { default: LoadedPage }
  })
}

/** Shows rendering errors in place of the page, so that the rest of the client keeps working. */
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

/** Returns the reason for a failed import. Reloads once if the server answers, as it probably has a new version. */
async function reasonFor(reason: unknown): Promise<unknown> {
  if (!(await isReachable())) return new ApiError(0, 'offline', 'the server cannot be reached')
  if (sessionStorage.getItem(RELOADED) !== null) {
    sessionStorage.removeItem(RELOADED)
    return reason
  }
  sessionStorage.setItem(RELOADED, '')
  location.reload()
  // Never resolves, because the page is about to reload.
  return await new Promise(() => undefined)
}
