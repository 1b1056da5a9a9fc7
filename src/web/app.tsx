import { useEffect } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { AuthLayout } from './components/layout/auth-layout.tsx'
import { Page } from './components/layout/page.tsx'
import { NotFound } from './components/layout/unavailable.tsx'
import { lazyPage } from './lazy-page.tsx'
import { Shell } from './shell.tsx'
import { BASE, href, isPublicPath } from './store/paths.ts'
import { account } from './store/session.ts'

const PUBLIC_PAGES = {
  '/login': () => import('./pages/sign-in/sign-in.tsx'),
  '/register': () => import('./pages/sign-in/register.tsx'),
  '/activate': () => import('./pages/sign-in/activate.tsx'),
  '/reset-password': () => import('./pages/sign-in/reset-password.tsx'),
}

const PAGES = {
  '/': () => import('./pages/home/home.tsx'),
  '/podcast': () => import('./pages/podcast/podcast.tsx'),
  '/episode': () => import('./pages/podcast/episode.tsx'),
  '/listening': () => import('./pages/listening/listening.tsx'),
  '/discover': () => import('./pages/discover/discover.tsx'),
  '/devices': () => import('./pages/devices/devices.tsx'),
  '/connect': () => import('./pages/connect/connect.tsx'),
  '/upgrades': () => import('./pages/upgrades/upgrades.tsx'),
  '/transfer': () => import('./pages/transfer/transfer.tsx'),
  '/account': () => import('./pages/account/account.tsx'),
  '/admin/users': () => import('./pages/admin-users/admin-users.tsx'),
  '/admin/feeds': () => import('./pages/admin-feeds/admin-feeds.tsx'),
  '/admin/server': () => import('./pages/admin-server/admin-server.tsx'),
}

const ROUTES = [
  ...Object.entries(PUBLIC_PAGES).map(([path, load]) => [href(path), lazyPage(load, AuthLayout)] as const),
  ...Object.entries(PAGES).map(([path, load]) => [href(path), lazyPage(load, Page)] as const),
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
      <Pages />
    </Shell>
  )
}

/** Goes to the sign-in page, which returns to the present address. */
function RedirectToSignIn() {
  const { route, url } = useLocation()
  useEffect(() => {
    route(href('/login', { return_to: url }), true)
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
