import { type Answer, type Answering, parse } from './client.ts'

/** Public address of podstep in these browsers. */
export const BASE_URL = 'http://podstep.example/podcasts'

/** Settings of that podstep for a provider, without the client secret. */
export const settingsOf = (issuer: string, clientId: string) => ({
  ...{ base_url: BASE_URL, oidc_issuer: issuer, oidc_client_id: clientId },
  oidc_auto_create: 'true',
})

interface Hop {
  readonly method: string
  readonly url: string
  readonly status: number
  /** `Set-Cookie` headers. */
  readonly cookies: readonly string[]
}

/** Page after all redirects. */
export interface Page extends Answer {
  readonly url: string
  /** Redirects that led here, ending with this page. */
  readonly hops: readonly Hop[]
}

interface VisitOptions {
  /** Fields of a form to post. */
  readonly form?: Record<string, string>
  readonly headers?: Record<string, string>
  /** Prefix of addresses to which redirects are not followed. */
  readonly stopBefore?: string
}

export interface Browser {
  /** Follows redirects. Addresses that start with `/` are relative to podstep's base. */
  visit(url: string, options?: VisitOptions): Promise<Page>
  /** Posts the form of a page with its hidden fields and `fields`. */
  submit(page: Page, fields?: Record<string, string>): Promise<Page>
  /** Follows the link with this text. */
  click(page: Page, text: string): Promise<Page>
  /** Returns the Cookie header for a request to `url`. */
  cookies(url: string): string
  /** Handles a Set-Cookie header as if the server at `url` had sent it. */
  setCookie(url: string, header: string): void
}

interface Cookie {
  readonly host: string
  readonly path: string
  readonly name: string
  readonly value: string
}

const HOPS_MAX = 20

/** A browser without scripts. Requests to podstep go to `app`, all others over the network. */
export function openBrowser(app: Answering): Browser {
  const jar = new Map<string, Cookie>()
  const ownOrigin = new URL(BASE_URL).origin

  function setCookie(url: string, header: string): void {
    const { hostname } = new URL(url)
    const [pair = '', ...attributes] = header.split(';').map((part) => part.trim())
    const of = (name: string) =>
      attributes.find((each) => each.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
    const [name = '', ...value] = pair.split('=')
    const cookie = { host: hostname, path: of('path') ?? '/', name, value: value.join('=') }
    const key = `${cookie.host} ${cookie.path} ${cookie.name}`
    const expires = of('expires')
    // The server judges the age of a cookie, since its clock differs from ours.
    const isOver = Number(of('max-age') ?? 1) <= 0 || (expires !== undefined && Date.parse(expires) <= Date.now())
    const isSecret = attributes.some((each) => each.toLowerCase() === 'secure') && !url.startsWith('https:')
    if (isOver) jar.delete(key)
    else if (!isSecret) jar.set(key, cookie)
  }

  function cookies(url: string): string {
    const { hostname, pathname } = new URL(url)
    return [...jar.values()]
      .filter(({ host, path }) => host === hostname && covers(path, pathname))
      .toSorted((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  async function ask(url: string, form?: Record<string, string>, headers?: Record<string, string>): Promise<Response> {
    const cookie = cookies(url)
    // Browsers do not send fragments.
    const request = new Request(url.replace(/#.*/, ''), {
      method: form ? 'POST' : 'GET',
      headers: { host: new URL(url).host, ...(cookie && { cookie }), ...headers },
      redirect: 'manual',
      ...(form && { body: new URLSearchParams(form) }),
    })
    const response = await (new URL(url).origin === ownOrigin ? app.fetch(request) : fetch(request))
    for (const header of response.headers.getSetCookie()) setCookie(url, header)
    return response
  }

  async function visit(address: string, options: VisitOptions = {}): Promise<Page> {
    let url = address.startsWith('/') ? BASE_URL + address : address
    let { form } = options
    const { headers: sent, stopBefore } = options
    const hops: Hop[] = []
    while (hops.length < HOPS_MAX) {
      const response = await ask(url, form, sent)
      const { status, headers } = response
      hops.push({ method: form ? 'POST' : 'GET', url, status, cookies: headers.getSetCookie() })
      const location = headers.get('location')
      const next = status >= 300 && status < 400 && location !== null ? new URL(location, url).href : undefined
      const isEnd = next === undefined || (stopBefore !== undefined && next.startsWith(stopBefore))
      const text = await response.text()
      if (isEnd) return { url, status, headers, text, json: parse(text), hops }
      url = next
      form = undefined
    }
    throw new Error(`redirected in circles: ${hops.map((hop) => hop.url).join(' ')}`)
  }

  async function submit(page: Page, fields: Record<string, string> = {}): Promise<Page> {
    const { action, inputs } = formOf(page)
    const answer = await visit(action, { form: { ...inputs, ...fields }, headers: { origin: originOf(page) } })
    return { ...answer, hops: [...page.hops, ...answer.hops] }
  }

  async function click(page: Page, text: string): Promise<Page> {
    const answer = await visit(linkOf(page, text))
    return { ...answer, hops: [...page.hops, ...answer.hops] }
  }

  return { visit, submit, click, cookies, setCookie }
}

/** Signs in through the pages of the real provider, consenting to everything. */
export async function signInAs(browser: Browser, login: string, from = '/auth/sso/login'): Promise<Page> {
  let page = await browser.visit(from)
  while (!page.url.startsWith(BASE_URL) && page.text.includes('<form'))
    page = await browser.submit(page, { login, password: 'any' })
  return page
}

/** Whether a cookie with `path` is sent with a request for `pathname` (RFC 6265 5.1.4). */
function covers(path: string, pathname: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** Origin header of a form post. Pages without a referrer have the origin `null` (Fetch 3.2). */
function originOf({ url, headers }: Page): string {
  return headers.get('referrer-policy') === 'no-referrer' ? 'null' : new URL(url).origin
}

/** Action and fields of the form of a page. */
function formOf({ url, text }: Page): { action: string; inputs: Record<string, string> } {
  const actions: string[] = []
  const inputs: Record<string, string> = {}
  const element = (input: HTMLRewriterTypes.Element) => {
    inputs[input.getAttribute('name') ?? ''] = input.getAttribute('value') ?? ''
  }
  new HTMLRewriter()
    .on('form', { element: (form) => void actions.push(new URL(form.getAttribute('action') ?? '', url).href) })
    .on('form input[name]', { element })
    .transform(text)
  const action = actions.at(-1)
  if (action === undefined) throw new Error(`no form on ${url}: ${text.slice(0, 500)}`)
  return { action, inputs }
}

function linkOf({ url, text }: Page, label: string): string {
  const links: { href: string; words: string }[] = []
  new HTMLRewriter()
    .on('a[href]', {
      element: (link) => void links.push({ href: new URL(link.getAttribute('href') ?? '', url).href, words: '' }),
      text: (chunk) => {
        const link = links.at(-1)
        if (link) link.words += chunk.text
      },
    })
    .transform(text)
  const found = links.find(({ words }) => words.includes(label))
  if (!found) throw new Error(`no link ${label} on ${url}`)
  return found.href
}
