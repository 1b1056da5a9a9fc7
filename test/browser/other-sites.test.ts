import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { basic, type Client, clientOf } from '../support/client.ts'
import type { Demo } from '../web/support/demo.ts'
import { openBrowser, signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, PATIENCE, startBinary } from './support/browser-test.ts'

const PASSWORD = 'seaglass'
const SECRET_FEED = 'https://feeds.example/private?token=s3cret'
const DEVICE = '/api/2/devices/ann/phone.json'
const LIST = '/subscriptions/ann.jsonp'

/** Over plain http browsers do not say how a page and a server belong together; they do for addresses of their own machine. */
const SERVER_HOSTS = ['127.0.0.1', 'pods.home.example']

/** Where the foreign page is: it has another port in all cases, and so another origin. */
const ATTACKS = SERVER_HOSTS.flatMap((host) => [
  [host, host],
  [host, 'evil.test'],
])

/** What pages of other sites can make a browser do, tried in one. */
describeInBrowser('a page of another site', () => {
  let demo: Demo
  let browser: Browser
  let context: BrowserContext | undefined
  const foreign = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      new Response('<!doctype html><title>Foreign</title>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  })

  beforeAll(async () => {
    demo = await startBinary({ isEmpty: true })
    const anyone = client(demo)
    for (const username of ['ann', 'eve'])
      await succeed(anyone.post('/api/2/register', { username, password: PASSWORD }))
    await succeed(client(demo, 'ann').post('/api/2/subscriptions/ann/phone.json', { add: [SECRET_FEED] }))
    await succeed(client(demo, 'ann').post(DEVICE, { caption: 'Phone' }))
    browser = await openBrowser('--host-resolver-rules=MAP *.home.example 127.0.0.1, MAP *.test 127.0.0.1')
  }, PATIENCE)

  afterEach(async () => {
    await context?.close()
    context = undefined
  }, PATIENCE)

  afterAll(async () => {
    await browser.close()
    await demo.stop()
    await foreign.stop(true)
  }, PATIENCE)

  describe.each(ATTACKS)('of a server at %s, itself at %s,', (host, foreignHost) => {
    test(
      'reads no list of a signed-in person as a script',
      async () => {
        const { page, server } = await visit(host, foreignHost)
        await signInAs(page, server, 'ann', PASSWORD)
        await page.goto(foreignUrl(foreignHost))
        expect(await loadScript(page, `${server}${LIST}?jsonp=steal`)).toEqual({ loaded: false, stolen: [] })
      },
      PATIENCE,
    )

    test(
      'reads no list with a password that the browser remembers',
      async () => {
        const { page, server } = await visitWithPassword(host, foreignHost)
        expect(await loadScript(page, `${server}${LIST}?jsonp=steal`)).toEqual({ loaded: false, stolen: [] })
      },
      PATIENCE,
    )

    test(
      'changes nothing with a password that the browser remembers',
      async () => {
        const { page, server } = await visitWithPassword(host, foreignHost)
        for (const type of ['text/plain', undefined])
          await sendBlindly(page, server + DEVICE, '{"caption":"pwned"}', type)
        await submitForm(page, server + DEVICE, { '{"caption":"pwned","rest":"': '"}' })
        expect((await client(demo, 'ann').get('/api/2/devices/ann.json')).json).toMatchObject([{ caption: 'Phone' }])
      },
      PATIENCE,
    )

    test(
      'signs the browser in as nobody else',
      async () => {
        const { page, server } = await visit(host, foreignHost)
        await page.goto(foreignUrl(foreignHost))
        const asEve = server.replace('//', `//eve:${PASSWORD}@`)
        await submitForm(page, `${asEve}/api/2/auth/eve/login.json`, { any: 'thing' })
        await page.goto(foreignUrl(foreignHost))
        await followLink(page, `${asEve}/api/2/me`)
        expect(await page.context().cookies(server)).toEqual([])
      },
      PATIENCE,
    )

    test(
      'makes no first account',
      async () => {
        const empty = await startBinary({ isEmpty: true })
        try {
          const { page } = await visit(host, foreignHost)
          await page.goto(foreignUrl(foreignHost))
          const address = `${at(empty, host)}/api/2/register`
          const account = JSON.stringify({ username: 'eve', password: PASSWORD })
          await sendBlindly(page, address, account, 'text/plain')
          await sendAsked(page, address, account, { 'content-type': 'application/json' })
          expect((await client(empty).get('/api/2/server')).json).toMatchObject({ first_run: true })
        } finally {
          await empty.stop()
        }
      },
      PATIENCE,
    )

    test(
      'reads what everybody may read, and works with a password of its own',
      async () => {
        const { page, server } = await visit(host, foreignHost)
        await page.goto(foreignUrl(foreignHost))
        expect(await loadScript(page, `${server}/toplist/5.jsonp?jsonp=steal`)).toMatchObject({ loaded: true })
        const headers = { ...basic('ann', PASSWORD), 'content-type': 'application/json' }
        expect(await sendAsked(page, server + DEVICE, '{"caption":"Phone"}', headers)).toBe(200)
        expect(await page.context().cookies(server)).toEqual([])
      },
      PATIENCE,
    )
  })

  /** A browser that knows nobody yet. */
  async function visit(host: string, foreignHost: string, password?: string): Promise<{ page: Page; server: string }> {
    const server = at(demo, host)
    const httpCredentials = password === undefined ? undefined : { username: 'ann', password, origin: server }
    context = await browser.newContext({ locale: 'en', ...(httpCredentials && { httpCredentials }) })
    const page = await context.newPage()
    await page.goto(foreignUrl(foreignHost))
    return { page, server }
  }

  /** A browser whose box for passwords has been answered once, now at the foreign page. */
  async function visitWithPassword(host: string, foreignHost: string): Promise<{ page: Page; server: string }> {
    const visited = await visit(host, foreignHost, PASSWORD)
    for (const path of ['/subscriptions/ann.json', '/api/2/devices/ann.json'])
      expect((await visited.page.goto(visited.server + path))?.status()).toBe(200)
    await visited.page.context().clearCookies()
    await visited.page.goto(foreignUrl(foreignHost))
    return visited
  }

  const foreignUrl = (host: string) => `http://${host}:${foreign.port}/`
})

function at(server: Demo, host: string): string {
  return server.url.replace('127.0.0.1', host)
}

function client(server: Demo, username?: string): Client {
  const network = {
    fetch: (request: Request) => fetch(new Request(request.url.replace('http://localhost', server.url), request)),
  }
  return clientOf(network, username === undefined ? {} : basic(username, PASSWORD))
}

/** What is only there so that something can be tried. */
async function succeed(asked: ReturnType<Client['get']>): Promise<void> {
  const { status, text } = await asked
  if (status !== 200) throw new Error(`${status} ${text}`)
}

/** Includes a script that calls `steal`. */
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

/** As a form would, without seeing the answer: the browser does not ask the server first. Settles when there is an answer. */
function sendBlindly(page: Page, address: string, body: string, type: string | undefined): Promise<unknown> {
  const blob = `new Blob([${JSON.stringify(body)}], ${JSON.stringify(type === undefined ? {} : { type })})`
  return page.evaluate(
    `fetch(${JSON.stringify(address)}, { method: 'POST', mode: 'no-cors', credentials: 'include', body: ${blob} }).then(() => 'answered', () => 'kept away')`,
  )
}

/** With headers that the browser asks the server about first; the status of the answer. */
function sendAsked(page: Page, address: string, body: string, headers: Record<string, string>): Promise<number> {
  const options = JSON.stringify({ method: 'POST', headers, body })
  return page.evaluate(`fetch(${JSON.stringify(address)}, ${options}).then(({ status }) => status)`)
}

async function submitForm(page: Page, address: string, fields: Record<string, string>): Promise<void> {
  await arrive(
    page,
    `(() => {
      const form = document.createElement('form')
      form.method = 'post'
      form.enctype = 'text/plain'
      form.action = ${JSON.stringify(address)}
      for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
        const field = document.createElement('input')
        Object.assign(field, { type: 'hidden', name, value })
        form.append(field)
      }
      document.body.append(form)
      form.submit()
    })()`,
  )
}

async function followLink(page: Page, address: string): Promise<void> {
  await arrive(page, `void (location.href = ${JSON.stringify(address)})`)
}

/** Runs what leads to another page, and waits until that is there. */
async function arrive(page: Page, script: string): Promise<void> {
  const arrived = page.waitForEvent('load')
  await page.evaluate(script)
  await arrived
}
