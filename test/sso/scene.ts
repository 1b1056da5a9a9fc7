import { expect, spyOn } from 'bun:test'
import type { Claims } from '../../src/sso/openid-connect.ts'
import { startTestApp } from '../support/app.ts'
import { BASE_URL, type Browser, openBrowser, type Page } from '../support/browser.ts'
import { basic, type Client, clientOf, signUp } from '../support/client.ts'
import { type Lies, type LyingProvider, startLyingProvider } from '../support/lying-provider.ts'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'

export const LOGIN = '/auth/sso/login'
export const LINK = `${LOGIN}?link=1`
export const CALLBACK = `${BASE_URL}/auth/sso/callback`
export const ME = '/podcasts/api/2/me'

type Json = Readonly<Record<string, unknown>>

/** A lie that adds or changes members. */
export const adding = (more: Json) => (truth: Json) => ({ ...truth, ...more })
/** A lie that omits a member. */
export const without = (key: string) => (truth: Json) =>
  Object.fromEntries(Object.entries(truth).filter(([each]) => each !== key))

interface Options {
  readonly lies?: Lies
  /** Settings in addition to those for the provider. */
  readonly settings?: Record<string, string>
  /** Whether there is an administrator `eva` with a password and an email address. */
  readonly hasEva?: boolean
}

/** A podstep with these settings, and a browser. */
export function open(settings: Record<string, string>) {
  const app = startTestApp({ settings })
  return {
    app,
    browser: openBrowser(app),
    /** Signs in with a new browser. */
    signIn: () => openBrowser(app).visit(LOGIN),
    /** A client with the cookies of this browser. */
    clientIn: (browser: Browser): Client => clientOf(app, { cookie: browser.cookies(BASE_URL) }),
    logged: (): unknown[] => app.logs.map((line) => JSON.parse(line)),
    /** A browser signed in by password. */
    async localBrowser(username = 'eva'): Promise<Browser> {
      const browser = openBrowser(app)
      const headers = basic(username, 'seaglass')
      await browser.visit(`/api/2/auth/${username}/login.json`, { form: {}, headers })
      return browser
    },
  }
}

function withHelpers(scene: ReturnType<typeof open>, provider: LyingProvider) {
  return {
    ...scene,
    provider,
    /** Number of requests for a path at the provider. */
    times: (path: string) => provider.paths.filter((each) => each === path).length,
    /** Signs `person` in through the provider; `client` has the cookies of that browser. */
    async signInAs(person: Claims, from = LOGIN, browser = openBrowser(scene.app)) {
      provider.person = person
      const page = await browser.visit(from)
      return { page, browser, client: scene.clientIn(browser) }
    },
  }
}

/** Runs a test with a provider that signs in `person` without asking, and tells `lies`. */
export async function withProvider(
  { lies = {}, settings = {}, hasEva = false }: Options,
  run: (scene: ReturnType<typeof withHelpers>) => Promise<unknown>,
): Promise<void> {
  await using provider = startLyingProvider(lies)
  const scene = open({ ...provider.settings, ...settings })
  if (hasEva) await signUp(scene.app, 'eva', 'seaglass', 'Eva@Pods.example')
  await run(withHelpers(scene, provider))
}

/** Runs a test with a real provider, the package oidc-provider. */
export async function withRealProvider(
  { settings, ...options }: Pick<Options, 'settings'> & Parameters<typeof startOidcProvider>[0],
  run: (scene: ReturnType<typeof open> & { readonly provider: OidcProvider }) => Promise<unknown>,
): Promise<void> {
  await using provider = await startOidcProvider(options)
  await run({ ...open({ ...provider.settings, ...settings }), provider })
}

/** Replaces timeouts by one that fires when the provider calls `late`. */
export function timeOut() {
  let expire = () => {}
  const timeout = spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController()
    expire = () => limit.abort(new DOMException('too late', 'TimeoutError'))
    return limit.signal
  })
  return {
    /** A response that never arrives. */
    late() {
      expire()
      return new Promise<never>(() => undefined)
    },
    /** Milliseconds of each timeout so far. */
    limits: () => timeout.mock.calls.map(([ms]) => ms),
    [Symbol.dispose]: () => timeout[Symbol.dispose](),
  }
}

/** Expects a successful sign-in. */
export function expectSignedIn(page: Page, path = '/'): void {
  expect([page.status, page.url]).toEqual([200, BASE_URL + path])
  expect(cookiesOn(page)).toMatch(/sessionid=[\w-]{43};/)
}

/** Expects a failed sign-in: the login page explains the code, and no session was started. */
export function expectFailed(page: Page, code: string): void {
  expect([page.status, page.url]).toEqual([200, `${BASE_URL}/login?error=${code}`])
  expect(cookiesOn(page)).not.toContain('sessionid=')
}

function cookiesOn({ hops }: Page): string {
  return hops.flatMap(({ cookies }) => cookies).join('\n')
}
