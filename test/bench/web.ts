import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { requireBinary } from '../binary/support/binary.ts'
import { basic } from '../support/client.ts'
import { png } from '../support/pictures.ts'
import { remoteClient, startDemo, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { BROWSER, openWholeBrowser } from '../web/support/web-browser.ts'
import { median } from './numbers.ts'
import { say, summary, target } from './report.ts'

/**
 * How fast pages of the web client are of use, in a browser with a slow line (400 ms, 1.6 Mbit/s), with a slow processor
 * (a quarter of this one), going back, and finding and selecting among many. Each load is that of an empty cache.
 */

const PARTS = ['line', 'processor', 'back', 'answers', 'shifts'] as const

const HELP = `bun test/bench/web.ts [options]

  --only NAMES   comma-separated: ${PARTS.join(', ')}
  --quick        no shifts
`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const SLOW_4G = { offline: false, latency: 400, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const SLOW_CPU = 4
const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 360, height: 800 }
const PASSWORD = 'seaglass'
const FEW = 43
const MANY = 1000
/** Each figure but CLS and the way back is the median of so many loads. */
const LOADS = 3

const PODCAST = '.home-card a, main li a[href*="podcast?"]'
const SIGN_IN = 'input[name="password"]'
const PAGES = [
  ...[
    '/login',
    '/register',
    '/',
    '/inbox',
    '/queue',
    '/discover',
    '/listening',
    '/favorites',
    '/year',
    '/devices',
    '/connect',
  ],
  ...['/activity', '/transfer', '/account', '/outlets', '/add', '/admin/users', '/admin/feeds'],
  '/admin/server',
]

/** Notes when a selector first has something, long tasks, and what moves. */
const watch = (selector: string) => `
  globalThis.figures = { useful: 0, tasks: [], shift: 0 }
  const look = () => {
    if (document.querySelector(${JSON.stringify(selector)})) figures.useful = performance.now()
    else requestAnimationFrame(look)
  }
  look()
  new PerformanceObserver((list) => figures.tasks.push(...list.getEntries().map((each) => each.duration)))
    .observe({ type: 'longtask', buffered: true })
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) figures.shift += value
  }).observe({ type: 'layout-shift', buffered: true })`

/** `requests` and `bytes` are of what had come by the time that the page was useful. */
const RESULT = `(() => {
  const { useful, tasks, shift } = figures
  const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ responseEnd, name }) => responseEnd <= useful && !name.includes('/artwork/'))
  const bytes = entries.reduce((sum, entry) => sum + entry.encodedBodySize, 0)
  return { useful, longest: Math.max(0, ...tasks), shift, requests: entries.length, bytes }
})()`

const GO_BACK = `new Promise((resolve) => {
  const start = performance.now()
  history.back()
  const look = () => {
    const isThere = location.pathname === '/' && document.querySelector('.home-card')
    if (isThere) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)))
    else requestAnimationFrame(look)
  }
  look()
})`

interface Figures {
  readonly useful: number
  readonly longest: number
  readonly shift: number
  readonly requests: number
  readonly bytes: number
}

interface Load {
  readonly path: string
  readonly selector: string
  readonly isSlowLine?: boolean
  readonly isSlowCpu?: boolean
}

/** Podcasts with a picture and three episodes each. */
function serveFeeds() {
  const picture = new Uint8Array(png(300, 300, (x, y) => [(x * 7) % 255, (y * 5) % 255, 120, 255]))
  const server = Bun.serve({
    port: 0,
    hostname: '0.0.0.0',
    fetch({ url }) {
      const { pathname, origin } = new URL(url)
      if (pathname.endsWith('.png')) return new Response(picture, { headers: { 'content-type': 'image/png' } })
      const name = pathname.slice(1).replace('.xml', '')
      const items = [1, 2, 3].map(
        (n) => `<item><title>Episode ${n} of ${name}</title><guid>${name}-${n}</guid>
          <pubDate>${new Date(Date.now() - n * 86_400_000).toUTCString()}</pubDate>
          <enclosure url="${origin}/${name}/${n}.mp3" length="1000" type="audio/mpeg"/></item>`,
      )
      const text = `<?xml version="1.0"?><rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
        <channel><title>Podcast ${name}</title><itunes:author>Author of ${name}</itunes:author>
        <itunes:image href="${origin}/${name}.png"/>${items.join('')}</channel></rss>`
      return new Response(text, { headers: { 'content-type': 'application/rss+xml' } })
    },
  })
  /** On many hosts, since of one only two feeds are read at once. */
  const feedUrl = (n: number) => `http://127.0.0.${2 + (n % 40)}:${server.port}/g${n}.xml`
  return { feedUrl, stop: () => server.stop(true) }
}

/** Creates a user who has the first podcasts, and waits until the server has read them. */
async function createUser(url: string, feedUrl: (n: number) => string, username: string, count: number): Promise<void> {
  await succeed(remoteClient(url).post('/api/2/register', { username, password: PASSWORD }))
  const user = remoteClient(url, basic(username, PASSWORD))
  await succeed(user.post(`/api/2/devices/${username}/phone.json`, { caption: 'Phone', type: 'mobile' }))
  const add = Array.from({ length: count }, (_, n) => feedUrl(n))
  await succeed(user.post(`/api/2/subscriptions/${username}/phone.json`, { add, remove: [] }))
  for (;;) {
    const { json } = await succeed(user.get('/api/2/me/subscriptions?state=new'))
    if ((json as readonly unknown[]).length === 0) return
    await Bun.sleep(1000)
  }
}

/** A browser without a cache in which the user is signed in. */
async function newVisit(browser: Browser, url: string, username: string | undefined): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: WIDE, locale: 'en' })
  if (username !== undefined)
    await succeedInPage(context, `${url}/api/2/auth/${username}/login.json`, basic(username, PASSWORD))
  if (username !== undefined) {
    const scripts = memories.get(username) ?? (await visitBefore(context, url))
    memories.set(username, scripts)
    for (const script of scripts) await context.addInitScript(script)
  }
  return context
}

/** What a browser remembers that was here before, but for its cache: who was signed in, and how high things were. */
async function visitBefore(context: BrowserContext, url: string): Promise<readonly string[]> {
  const scripts: string[] = []
  for (const { width, height } of [WIDE, NARROW]) {
    const page = await context.newPage()
    await page.setViewportSize({ width, height })
    await page.goto(`${url}/`)
    await page.locator(PODCAST).first().waitFor()
    await page.waitForTimeout(2000)
    const memory = await page.evaluate<string>(`JSON.stringify(Object.entries(localStorage))`)
    const condition = `innerWidth === ${width} && localStorage.length === 0`
    await context.addInitScript(
      `if (${condition}) for (const [key, value] of ${memory}) localStorage.setItem(key, value)`,
    )
    const session = await context.newCDPSession(page)
    await session.send('Storage.clearDataForOrigin', {
      origin: url,
      storageTypes: 'local_storage,cache_storage,service_workers',
    })
    await session.send('Network.clearBrowserCache')
    await page.close()
  }
  return scripts
}

/** What browsers of these users remember, as scripts for new ones. */
const memories = new Map<string, readonly string[]>()

async function succeedInPage(context: BrowserContext, address: string, headers: Record<string, string>): Promise<void> {
  const answer = await context.request.post(address, { headers })
  if (!answer.ok()) throw new Error(`${answer.status()} from ${address}`)
}

async function slowDown(page: Page, { isSlowLine, isSlowCpu }: Pick<Load, 'isSlowLine' | 'isSlowCpu'>): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  if (isSlowLine) await session.send('Network.emulateNetworkConditions', SLOW_4G)
  if (isSlowCpu) await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU })
}

/**
 * A page in a window of the browser, which has pages of its own: it loads hundreds of modules for its tool bar in the
 * first seconds, and would be measured with them otherwise.
 */
async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.waitForTimeout(4000)
  return page
}

async function measureOnce(context: BrowserContext, url: string, load: Load): Promise<Figures> {
  const page = await openPage(context)
  await slowDown(page, load)
  await page.addInitScript(watch(load.selector))
  await page.goto(url + load.path, { waitUntil: 'commit' })
  await page.locator(load.selector).first().waitFor()
  await page.waitForLoadState('load')
  // Pictures and what is loaded behind the page may move it yet.
  await page.waitForTimeout(2000)
  return await page.evaluate<Figures>(RESULT)
}

async function measure(browser: Browser, url: string, username: string | undefined, load: Load): Promise<Figures> {
  const all: Figures[] = []
  for (let n = 0; n < LOADS; n++) {
    const context = await newVisit(browser, url, username)
    all.push(await measureOnce(context, url, load))
    await context.close()
  }
  const found = all.sort((one, other) => one.useful - other.useful)[Math.floor(LOADS / 2)]
  if (!found) throw new Error('nothing was measured')
  return found
}

async function measureBack(browser: Browser, url: string): Promise<number> {
  const context = await newVisit(browser, url, 'many')
  const page = await openPage(context)
  await page.goto(`${url}/`)
  await page.locator(PODCAST).first().waitFor()
  await page.waitForTimeout(2000)
  await page.locator(PODCAST).first().click()
  await page.waitForURL('**/podcast?**')
  await page.waitForTimeout(1000)
  const took = await page.evaluate<number>(GO_BACK)
  await context.close()
  return took
}

/** Notes how long the page takes from each key or click until it shows an answer. */
const WATCH_ANSWERS = `
  globalThis.answers = []
  new PerformanceObserver((list) => answers.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'event', durationThreshold: 16 })`

/** The longest that a key of the filter and `Select` take, with all podcasts drawn, in one visit. */
async function measureAnswersOnce(browser: Browser, url: string): Promise<{ key: number; select: number }> {
  const context = await newVisit(browser, url, 'many')
  const page = await openPage(context)
  await page.goto(`${url}/`)
  await page
    .locator('.home-card')
    .nth(MANY - 1)
    .waitFor({ state: 'attached' })
  await page.waitForTimeout(2000)
  await page.getByRole('searchbox', { name: t('home.filter') }).focus()
  await page.evaluate(WATCH_ANSWERS)
  const longest = async (work: () => Promise<unknown>) => {
    await page.evaluate('answers.length = 0')
    await work()
    await page.waitForTimeout(1000)
    return await page.evaluate<number>('Math.max(0, ...answers)')
  }
  const keys: number[] = []
  for (const key of ['7', '7', 'Backspace', 'Backspace']) keys.push(await longest(() => page.keyboard.press(key)))
  const select = await longest(() => page.locator('main .row-apart button[aria-pressed]').click())
  await context.close()
  return { key: Math.max(...keys), select }
}

async function measureAnswers(browser: Browser, url: string): Promise<{ key: number; select: number }> {
  const visits: { key: number; select: number }[] = []
  for (let n = 0; n < LOADS; n++) visits.push(await measureAnswersOnce(browser, url))
  return { key: median(visits.map(({ key }) => key)), select: median(visits.map(({ select }) => select)) }
}

async function measureShifts(
  browser: Browser,
  url: string,
  viewport: typeof WIDE,
): Promise<readonly [string, number][]> {
  const shifts: [string, number][] = []
  for (const path of PAGES) {
    const context = await newVisit(browser, url, path === '/login' || path === '/register' ? undefined : 'few')
    const page = await context.newPage()
    await page.setViewportSize({ width: viewport.width, height: viewport.height })
    await slowDown(page, { isSlowLine: true })
    await page.addInitScript(watch('h1'))
    await page.goto(url + path)
    await page.locator('h1').first().waitFor()
    await page.waitForTimeout(3000)
    shifts.push([path, (await page.evaluate<Figures>(RESULT)).shift])
    await context.close()
  }
  return shifts
}

function row(name: string, { useful, longest, shift, requests, bytes }: Figures): string {
  const cells = [name, requests, bytes.toLocaleString('en'), `${Math.round(useful)} ms`, `${Math.round(longest)} ms`]
  return `| ${[...cells, shift.toFixed(3)].join(' | ')} |`
}

async function main(): Promise<void> {
  const only = values.only?.split(',') ?? PARTS.filter((part) => part !== 'shifts' || !values.quick)
  const unknown = only.find((name) => !PARTS.some((part) => part === name))
  if (unknown !== undefined) throw new Error(`--only: no part is called ${unknown}; there are ${PARTS.join(', ')}`)
  const wants = (part: (typeof PARTS)[number]) => only.includes(part)
  if (BROWSER === undefined || !existsSync(BROWSER)) throw new Error('this benchmark needs Chromium')
  const feeds = serveFeeds()
  const demo = await startDemo({ program: [requireBinary()], isEmpty: true, env: { SVC_FEED_CONCURRENCY: '16' } })
  const browser = await openWholeBrowser()
  try {
    await createUser(demo.url, feeds.feedUrl, 'few', FEW)
    await createUser(demo.url, feeds.feedUrl, 'many', MANY)
    // The first visit has the server make the thumbnails, which it keeps.
    for (const name of ['few', 'many']) await measure(browser, demo.url, name, { path: '/', selector: PODCAST })
    if (wants('line')) await reportSlowLine(browser, demo.url)
    if (wants('processor')) await reportSlowCpu(browser, demo.url)
    if (wants('back')) {
      const back = await measureBack(browser, demo.url)
      target(`back to Home with ${MANY} podcasts`, back, ' ms', { atMost: 300 })
    }
    if (wants('answers')) {
      const { key, select } = await measureAnswers(browser, demo.url)
      target(`a key of the filter of ${MANY} podcasts`, key, ' ms', { atMost: 50 })
      target(`Select with ${MANY} podcasts`, select, ' ms', { atMost: 50 })
    }
    for (const viewport of wants('shifts') ? [WIDE, NARROW] : [])
      for (const [path, shift] of await measureShifts(browser, demo.url, viewport))
        target(`CLS of ${path} at ${viewport.width}`, shift, '', { atMost: 0.02 })
    summary()
  } finally {
    await browser.close()
    await demo.stop()
    await feeds.stop()
  }
}

const HEAD = '| | requests | bytes | useful | longest task | CLS |\n|---|---|---|---|---|---|'

async function reportSlowLine(browser: Browser, url: string): Promise<void> {
  const signIn = await measure(browser, url, undefined, { path: '/login', selector: SIGN_IN, isSlowLine: true })
  const few = await measure(browser, url, 'few', { path: '/', selector: PODCAST, isSlowLine: true })
  const many = await measure(browser, url, 'many', { path: '/', selector: PODCAST, isSlowLine: true })
  say(HEAD)
  say(row('sign in, Slow 4G', signIn))
  say(row(`Home, ${FEW}, Slow 4G`, few))
  say(row(`Home, ${MANY}, Slow 4G`, many))
  say()
  target('sign in, Slow 4G', signIn.useful, ' ms', { atMost: 1700 })
  target(`Home with ${FEW} podcasts, Slow 4G`, few.useful, ' ms', { atMost: 2300 })
  target(`Home with ${MANY} podcasts, Slow 4G`, many.useful, ' ms', { atMost: 2800 })
  target('requests until Home is useful', few.requests, '', { atMost: 8 })
}

async function reportSlowCpu(browser: Browser, url: string): Promise<void> {
  const few = await measure(browser, url, 'few', { path: '/', selector: PODCAST, isSlowCpu: true })
  const many = await measure(browser, url, 'many', { path: '/', selector: PODCAST, isSlowCpu: true })
  say(HEAD)
  say(row(`Home, ${FEW}, slow processor`, few))
  say(row(`Home, ${MANY}, slow processor`, many))
  say()
  for (const [name, { longest }] of Object.entries({ [FEW]: few, [MANY]: many }))
    target(`longest task of Home with ${name} podcasts, slow processor`, longest, ' ms', { atMost: 100 })
}

if (values.help) say(HELP)
else await main()
