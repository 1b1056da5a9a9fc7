import { useEffect } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { lazyPage } from './lazy-page.tsx'
import { Door } from './parts/door.tsx'
import { NothingHere } from './parts/nothing-here.tsx'
import { Page } from './parts/page.tsx'
import { Shell } from './shell.tsx'
import { BASE, href, isDoor } from './state/base.ts'
import { account } from './state/session.ts'

const SignIn = lazyPage(() => import('./pages/sign-in.tsx'), Door)
const Register = lazyPage(() => import('./pages/register.tsx'), Door)
const Activate = lazyPage(() => import('./pages/activate.tsx'), Door)
const ResetPassword = lazyPage(() => import('./pages/reset-password.tsx'), Door)

const Home = lazyPage(() => import('./pages/home.tsx'), Page)
const Podcast = lazyPage(() => import('./pages/podcast.tsx'), Page)
const Episode = lazyPage(() => import('./pages/episode.tsx'), Page)
const Listening = lazyPage(() => import('./pages/listening.tsx'), Page)
const Discover = lazyPage(() => import('./pages/discover.tsx'), Page)
const Devices = lazyPage(() => import('./pages/devices.tsx'), Page)
const Connect = lazyPage(() => import('./pages/connect.tsx'), Page)
const Upgrades = lazyPage(() => import('./pages/upgrades.tsx'), Page)
const Transfer = lazyPage(() => import('./pages/transfer.tsx'), Page)
const Account = lazyPage(() => import('./pages/account.tsx'), Page)
const AdminUsers = lazyPage(() => import('./pages/admin-users.tsx'), Page)
const AdminFeeds = lazyPage(() => import('./pages/admin-feeds.tsx'), Page)
const AdminServer = lazyPage(() => import('./pages/admin-server.tsx'), Page)

export function App() {
  return (
    <LocationProvider scope={BASE === '' ? '/' : new RegExp(`^${BASE}(/|$)`)}>
      <Place />
    </LocationProvider>
  )
}

/** What is around the page stays while the next one is fetched. */
function Place() {
  const { path } = useLocation()
  if (isDoor(path)) return <Pages />
  if (!account.value) return <ToTheDoor />
  return (
    <Shell>
      <Pages />
    </Shell>
  )
}

/** And back afterwards. */
function ToTheDoor() {
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
        <Route default component={NothingHere} />
      </Router>
    </ErrorBoundary>
  )
}
