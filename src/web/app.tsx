import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso'
import { ButtonLink } from './parts/button.tsx'
import { Empty } from './parts/notice.tsx'
import { Page } from './parts/page.tsx'
import { Shell } from './shell.tsx'
import { BASE, href } from './state/base.ts'
import { account } from './state/session.ts'
import { t } from './text/index.ts'

const SignIn = lazy(() => import('./pages/sign-in.tsx'))
const Register = lazy(() => import('./pages/register.tsx'))
const Activate = lazy(() => import('./pages/activate.tsx'))
const ResetPassword = lazy(() => import('./pages/reset-password.tsx'))

const Home = inside(() => import('./pages/home.tsx'))
const Podcast = inside(() => import('./pages/podcast.tsx'))
const Episode = inside(() => import('./pages/episode.tsx'))
const Listening = inside(() => import('./pages/listening.tsx'))
const Discover = inside(() => import('./pages/discover.tsx'))
const Devices = inside(() => import('./pages/devices.tsx'))
const Connect = inside(() => import('./pages/connect.tsx'))
const Upgrades = inside(() => import('./pages/upgrades.tsx'))
const Transfer = inside(() => import('./pages/transfer.tsx'))
const Account = inside(() => import('./pages/account.tsx'))
const AdminUsers = inside(() => import('./pages/admin-users.tsx'))
const AdminFeeds = inside(() => import('./pages/admin-feeds.tsx'))
const AdminServer = inside(() => import('./pages/admin-server.tsx'))

/** A page for whoever is signed in, fetched when it is first looked at. */
function inside(load: () => Promise<{ default: ComponentType }>): ComponentType {
  const Content = lazy(load)
  return () => (
    <Inside>
      <Content />
    </Inside>
  )
}

/** A page for whoever is signed in; others are led to the door, and back afterwards. */
function Inside({ children }: { children: ComponentChildren }) {
  const { route, url } = useLocation()
  const isOutside = account.value === null
  useEffect(() => {
    if (isOutside) route(`${href('/login')}?return_to=${encodeURIComponent(url)}`, true)
  }, [isOutside])
  return account.value ? <Shell>{children}</Shell> : null
}

function NotFound() {
  const { errors } = t().common
  return (
    <Page title={errors.notFoundTitle}>
      <Empty title={errors.notFoundTitle} text={errors.notFound}>
        <ButtonLink kind="main" href={href('/')}>
          {errors.home}
        </ButtonLink>
      </Empty>
    </Page>
  )
}

export function App() {
  return (
    <LocationProvider scope={BASE === '' ? '/' : new RegExp(`^${BASE}(/|$)`)}>
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
          <Route
            default
            component={() => (
              <Inside>
                <NotFound />
              </Inside>
            )}
          />
        </Router>
      </ErrorBoundary>
    </LocationProvider>
  )
}
