import { useEffect } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { AuthLayout } from './components/layout/auth-layout.tsx'
import { NotFound } from './components/layout/not-found.tsx'
import { Page } from './components/layout/page.tsx'
import { lazyPage } from './lazy-page.tsx'
import { Shell } from './shell.tsx'
import { BASE, href, isPublicPath } from './store/paths.ts'
import { account } from './store/session.ts'

const SignIn = lazyPage(() => import('./pages/sign-in/sign-in.tsx'), AuthLayout)
const Register = lazyPage(() => import('./pages/sign-in/register.tsx'), AuthLayout)
const Activate = lazyPage(() => import('./pages/sign-in/activate.tsx'), AuthLayout)
const ResetPassword = lazyPage(() => import('./pages/sign-in/reset-password.tsx'), AuthLayout)

const Home = lazyPage(() => import('./pages/home/home.tsx'), Page)
const Podcast = lazyPage(() => import('./pages/podcast/podcast.tsx'), Page)
const Episode = lazyPage(() => import('./pages/episode/episode.tsx'), Page)
const Listening = lazyPage(() => import('./pages/listening/listening.tsx'), Page)
const Discover = lazyPage(() => import('./pages/discover/discover.tsx'), Page)
const Devices = lazyPage(() => import('./pages/devices/devices.tsx'), Page)
const Connect = lazyPage(() => import('./pages/connect/connect.tsx'), Page)
const Upgrades = lazyPage(() => import('./pages/upgrades/upgrades.tsx'), Page)
const Transfer = lazyPage(() => import('./pages/transfer/transfer.tsx'), Page)
const Account = lazyPage(() => import('./pages/account/account.tsx'), Page)
const AdminUsers = lazyPage(() => import('./pages/admin-users/admin-users.tsx'), Page)
const AdminFeeds = lazyPage(() => import('./pages/admin-feeds/admin-feeds.tsx'), Page)
const AdminServer = lazyPage(() => import('./pages/admin-server/admin-server.tsx'), Page)

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
    route(`${href('/login')}?return_to=${encodeURIComponent(url)}`, true)
  }, [])
  return null
}

function Pages() {
  return (
    <ErrorBoundary>
      <Router>
        <Route path={href('/login')} component={SignIn} />
        <Route path={href('/register')} component={Register} />
        <Route path={href('/activate')} component={Activate} />
        <Route path={href('/reset-password')} component={ResetPassword} />
        <Route path={href('/')} component={Home} />
        <Route path={href('/podcast')} component={Podcast} />
        <Route path={href('/episode')} component={Episode} />
        <Route path={href('/listening')} component={Listening} />
        <Route path={href('/discover')} component={Discover} />
        <Route path={href('/devices')} component={Devices} />
        <Route path={href('/connect')} component={Connect} />
        <Route path={href('/upgrades')} component={Upgrades} />
        <Route path={href('/transfer')} component={Transfer} />
        <Route path={href('/account')} component={Account} />
        <Route path={href('/admin/users')} component={AdminUsers} />
        <Route path={href('/admin/feeds')} component={AdminFeeds} />
        <Route path={href('/admin/server')} component={AdminServer} />
        <Route default component={NotFound} />
      </Router>
    </ErrorBoundary>
  )
}
