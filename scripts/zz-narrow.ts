import { startDemo } from '/work/main/test/web/support/demo.ts'
import { openBrowser, signInAs } from '/work/main/test/web/support/web-browser.ts'
const demo = await startDemo({ program: [process.execPath, '/work/main/src/main.ts'] })
import { chromium } from 'playwright-core'
const BIG = process.argv[2] === 'big'
const browser = BIG ? await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-background-networking', '--blink-settings=defaultFontSize=32,defaultFixedFontSize=26'] }) : await openBrowser()
const f = encodeURIComponent(demo.feeds + '/harbour.xml')
const INSIDE = ['/', '/discover', '/discover?q=harbour', '/discover?tag=travel', '/podcast?url=' + f, '/listening', '/devices', '/connect', '/upgrades', '/transfer', '/account', '/admin/users', '/admin/feeds', '/admin/server', '/nothing']
const OUTSIDE = ['/login', '/login?error=sso_failed', '/register', '/activate', '/reset-password']
const measure = () => {
  const wide: string[] = []
  const scrolls = (e: Element | null): boolean => !!e && e !== document.documentElement && (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement))
  for (const e of document.querySelectorAll('main *, .shell-top *')) {
    const r = e.getBoundingClientRect()
    if (r.width > 0 && (r.right > innerWidth + 0.5 || r.left < -0.5) && !scrolls(e.parentElement)) wide.push(`${e.tagName}.${e.className} ${Math.round(r.left)}..${Math.round(r.right)}`)
    const s = getComputedStyle(e)
    if (e instanceof HTMLElement && e.clientWidth > 0 && s.overflowX === 'hidden' && s.position !== 'absolute' && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) && e.textContent?.trim() && !e.className.includes('hidden-text') && !e.className.includes('artwork')) !e.className.includes('small') && e.tagName !== 'H3' && wide.push(`CLIPPED ${e.tagName}.${e.className} "${e.textContent.slice(0, 30)}"`)
    if (e instanceof HTMLElement && (e.tagName === 'BUTTON' || e.className.includes?.('button')) && e.scrollWidth > e.clientWidth + 1) wide.push(`BUTTON OVER ${e.className} "${e.textContent?.slice(0, 30)}" ${e.scrollWidth}>${e.clientWidth}`)
  }
  return { over: (document.scrollingElement?.scrollWidth ?? 0) - innerWidth, wide: [...new Set(wide)].slice(0, 8) }
}
try {
  for (const [locale, width, size] of (BIG ? [['en', 1280, 200], ['de', 1280, 200], ['de', 320, 200]] as const : [['es', 320, 100], ['it', 320, 100], ['de', 320, 100], ['en', 1600, 100]] as const)) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, locale, bypassCSP: true })
    const page = await context.newPage()
    page.on('pageerror', (e) => console.log('PAGEERROR', page.url(), e.message))
    const look = async (path: string) => {
      await page.goto(demo.url + path, { waitUntil: path.startsWith('/connect') || path.startsWith('/admin') ? 'load' : 'networkidle' })
      if (size === -1) await page.addStyleTag({ content: `html{font-size:${size}% !important}` })
      await page.waitForTimeout(350)
      const { over, wide } = await page.evaluate(measure)
      if (over > 0 || wide.length) console.log(locale, width, size, path.slice(0, 30), 'over', over, wide.join(' | '))
      await page.screenshot({ path: `/tmp/work/pics-kb/${locale}-${width}-${size}-${path.replace(/\?url.*/, '').replace(/\W/g, '_')}.png`, fullPage: true })
    }
    for (const path of OUTSIDE) await look(path)
    await signInAs(page, demo.url, 'ida', 'seaglass')
    await page.waitForLoadState('networkidle')
    for (const path of INSIDE) await look(path)
    await page.goto(demo.url + '/podcast?url=' + f, { waitUntil: 'networkidle' })
    const ep = await page.locator('.episode a').first().getAttribute('href')
    if (ep) await look(ep)
    await context.close()
    console.log('done', locale, width, size)
  }
} finally { await browser.close(); await demo.stop() }
