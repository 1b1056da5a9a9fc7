import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { basic, type Client } from '../support/client.ts'
import { type Demo, remoteClient, succeed } from '../web/support/demo.ts'
import { openBrowser, signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { closeAfterEach } from './support/watch.ts'

const PASSWORD = 'seaglass'
const SECRET_FEED = 'https://feeds.example/private?token=s3cret'
const DEVICE = '/api/2/devices/ann/phone.json'
/** The server refuses the JSONP format. */
const LISTS = ['/subscriptions/ann.json', '/subscriptions/ann.jsonp']

/** One host with Sec-Fetch-Site and one without: browsers send it only over HTTPS and to their own machine. */
const SERVER_HOSTS = ['127.0.0.1', 'pods.home.example']

/** The hosts of the server and of the other site, which has another port and therefore another origin. */
const ATTACKS = SERVER_HOSTS.flatMap((host) => [
  [host, host],
  [host, 'evil.test'],
])

/** Requests that pages of other sites can trigger (docs/protocol.md#D25). */
describeInBrowser('a page of another site', () => {
  let demo: Demo
  /** A server without accounts. */
  let empty: Demo
  let browser: Browser
  const closed = closeAfterEach()
  const foreign = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('<!doctype html><title>Foreign</title>', { headers: { 'content-type': 'text/html' } }),
  })

  beforeAll(async () => {
    demo = await startBinary({ isEmpty: true })
    empty = await startBinary({ isEmpty: true })
    const anyone = client(demo)
    for (const username of ['ann', 'eve'])
      await succeed(anyone.post('/api/2/register', { username, password: PASSWORD }))
    await succeed(client(demo, 'ann').post('/api/2/subscriptions/ann/phone.json', { add: [SECRET_FEED] }))
    await succeed(client(demo, 'ann').post(DEVICE, { caption: 'Phone' }))
    browser = await openBrowser('--host-resolver-rules=MAP *.home.example 127.0.0.1, MAP *.test 127.0.0.1')
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
    await empty.stop()
    await foreign.stop(true)
  })

  describe.each(ATTACKS)('with the server at %s and the page at %s', (host, foreignHost) => {
    test('cannot load the lists of a signed-in user as scripts', async () => {
      const { page, server } = await visit(host, foreignHost)
      await signInAs(page, server, 'ann', PASSWORD)
      await page.goto(foreignUrl(foreignHost))
      for (const list of LISTS)
        expect(await loadScript(page, `${server}${list}?jsonp=steal`)).toEqual({ loaded: false, stolen: [] })
    })

    test('cannot read or change anything with remembered Basic credentials', async () => {
      const { page, server } = await visit(host, foreignHost, PASSWORD)
      for (const path of ['/subscriptions/ann.json', '/api/2/devices/ann.json'])
        expect((await page.goto(server + path))?.status()).toBe(200)
      await page.context().clearCookies()
      await page.goto(foreignUrl(foreignHost))
      for (const list of LISTS)
        expect(await loadScript(page, `${server}${list}?jsonp=steal`)).toEqual({ loaded: false, stolen: [] })
      for (const type of ['text/plain', undefined])
        await sendBlindly(page, server + DEVICE, '{"caption":"pwned"}', type)
      await submitForm(page, server + DEVICE, { '{"caption":"pwned","rest":"': '"}' })
      expect((await client(demo, 'ann').get('/api/2/devices/ann.json')).json).toMatchObject([{ caption: 'Phone' }])
    })

    test('cannot sign the browser in as another user or create the first account', async () => {
      const { page, server } = await visit(host, foreignHost)
      const asEve = server.replace('//', `//eve:${PASSWORD}@`)
      await submitForm(page, `${asEve}/api/2/auth/eve/login.json`, { any: 'thing' })
      await page.goto(foreignUrl(foreignHost))
      await navigate(page, `void (location.href = '${asEve}/api/2/me')`)
      expect(await page.context().cookies(server)).toEqual([])

      await page.goto(foreignUrl(foreignHost))
      const address = `${at(empty, host)}/api/2/register`
      const account = JSON.stringify({ username: 'eve', password: PASSWORD })
      await sendBlindly(page, address, account, 'text/plain')
      await sendPreflighted(page, address, account, { 'content-type': 'application/json' })
      expect((await client(empty).get('/api/2/server')).json).toMatchObject({ first_run: true })
    })

    test('can read public lists, and can send its own credentials', async () => {
      const { page, server } = await visit(host, foreignHost)
      expect(await loadScript(page, `${server}/toplist/5.jsonp?jsonp=steal`)).toMatchObject({ loaded: true })
      const headers = { ...basic('ann', PASSWORD), 'content-type': 'application/json' }
      expect(await sendPreflighted(page, server + DEVICE, '{"caption":"Phone"}', headers)).toBe(200)
      expect(await page.context().cookies(server)).toEqual([])
    })
  })

  /** Opens the other site in a new browser, which remembers Basic credentials if there is a password. */
  async function visit(host: string, foreignHost: string, password?: string): Promise<{ page: Page; server: string }> {
    const server = at(demo, host)
    const httpCredentials = password === undefined ? undefined : { username: 'ann', password, origin: server }
    const context = closed(await browser.newContext({ locale: 'en', ...(httpCredentials && { httpCredentials }) }))
    const page = await context.newPage()
    await page.goto(foreignUrl(foreignHost))
    return { page, server }
  }

  const foreignUrl = (host: string) => `http://${host}:${foreign.port}/`
})

function at(server: Demo, host: string): string {
  return server.url.replace('127.0.0.1', host)
}

function client({ url }: Demo, username?: string): Client {
  return remoteClient(url, username === undefined ? {} : basic(username, PASSWORD))
}

/** Includes a script that calls `steal`, and resolves to the arguments of that call. */
function loadScript(page: Page, address: string): Promise<{ loaded: boolean; stolen: unknown[] }> {
  return page.evaluate(`new Promise((resolve) => {
    const stolen = []
    window.steal = (list) => stolen.push(...list)
    const script = document.createElement('script')
    script.src = ${JSON.stringify(address)}
    script.onload = () => resolve({ loaded: true, stolen })
    script.onerror = () => resolve({ loaded: false, stolen })
    document.body.append(script)
  })`)
}

/** Sends a request that needs no CORS preflight and whose response the page cannot read. */
function sendBlindly(page: Page, address: string, body: string, type: string | undefined): Promise<unknown> {
  const blob = `new Blob([${JSON.stringify(body)}], ${JSON.stringify(type === undefined ? {} : { type })})`
  return page.evaluate(
    `fetch(${JSON.stringify(address)}, { method: 'POST', mode: 'no-cors', credentials: 'include', body: ${blob} }).catch(() => undefined)`,
  )
}

/** Sends a request with a CORS preflight. Resolves to the status. */
function sendPreflighted(page: Page, address: string, body: string, headers: Record<string, string>): Promise<number> {
  const options = JSON.stringify({ method: 'POST', headers, body })
  return page.evaluate(`fetch(${JSON.stringify(address)}, ${options}).then(({ status }) => status)`)
}

async function submitForm(page: Page, address: string, fields: Record<string, string>): Promise<void> {
  const inputs = Object.entries(fields).map(([name, value]) => ({ type: 'hidden', name, value }))
  await navigate(
    page,
    `(() => {
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', enctype: 'text/plain', action: ${JSON.stringify(address)} })
      for (const input of ${JSON.stringify(inputs)}) form.append(Object.assign(document.createElement('input'), input))
      document.body.append(form)
      form.submit()
    })()`,
  )
}

/** Runs a script that leaves the page, and waits for the next page. */
async function navigate(page: Page, script: string): Promise<void> {
  const arrived = page.waitForEvent('load')
  await page.evaluate(script)
  await arrived
}
