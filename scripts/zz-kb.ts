import { startDemo } from '/work/main/test/web/support/demo.ts'
import { openBrowser, signInAs } from '/work/main/test/web/support/web-browser.ts'
const demo = await startDemo({ program: [process.execPath, '/work/main/src/main.ts'] })
const browser = await openBrowser()
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en' })
  const page = await context.newPage()
  page.on('pageerror', (e) => console.log('PAGEERROR', e.message))
  page.on('console', (m) => m.type() === 'error' && console.log('CONSOLE', m.text()))
  const active = () => page.evaluate(() => { const a = document.activeElement; return `${a?.tagName}${a?.className ? '.' + a.className : ''} "${(a?.getAttribute('aria-label') || a?.textContent || '').trim().slice(0, 40)}" | ${document.title}` })
  const settle = async () => { await page.waitForLoadState('networkidle'); await page.waitForTimeout(250) }
  await signInAs(page, demo.url, 'ida', 'seaglass'); await settle()
  console.log('after sign in', await active())
  for (const k of ['d','l','s','c','u','t','a','h']) { await page.keyboard.press('g'); await page.keyboard.press(k); await settle(); console.log('g', k, new URL(page.url()).pathname, await active(), 'h1s', await page.locator('h1').count(), 'navs', await page.locator('nav').count()) }
  for (const k of ['j','j','k','k','j']) { await page.keyboard.press(k); console.log(k, await active()) }
  await page.screenshot({ path: '/tmp/work/pics-kb/focus-card.png' })
  await page.keyboard.press('/'); console.log('/', await active())
  await page.keyboard.type('j?g'); console.log('typed', await page.locator('[data-search]').inputValue())
  await page.locator('[data-search]').fill(''); await page.locator('h1').focus()
  await page.keyboard.press('?'); await page.waitForTimeout(200); console.log('?', await active(), await page.locator('dialog[open] h2').textContent())
  await page.screenshot({ path: '/tmp/work/pics-kb/help.png' })
  await page.keyboard.press('j'); await page.keyboard.press('g'); await page.keyboard.press('d'); console.log('in dialog', new URL(page.url()).pathname)
  await page.keyboard.press('Escape'); await page.waitForTimeout(200); console.log('closed', await active())
  await page.keyboard.press('j'); await page.keyboard.press('Enter'); await settle(); console.log('podcast', await active())
  await page.keyboard.press('j'); console.log('j', await active()); await page.keyboard.press('Enter'); await settle(); console.log('episode', await active())
  await page.goBack(); await settle(); console.log('back', await active())
  await page.evaluate(() => localStorage.setItem('podstep.shortcuts', 'off')); await page.goto(demo.url + '/'); await settle()
  await page.keyboard.press('g'); await page.keyboard.press('d'); await page.keyboard.press('?'); await settle(); console.log('off', new URL(page.url()).pathname, await page.locator('dialog[open]').count())
  await page.evaluate(() => localStorage.removeItem('podstep.shortcuts')); await page.goto(demo.url + '/'); await settle()
  // skip and focus order
  const order = []
  for (let i = 0; i < 24; i++) { await page.keyboard.press('Tab'); order.push((await active()).split(' | ')[0]) }
  console.log(order.join('\n  '))
  await page.goto(demo.url + '/'); await settle(); await page.keyboard.press('Tab'); await page.screenshot({ path: '/tmp/work/pics-kb/skip.png', clip: {x:0,y:0,width:600,height:120} }); await page.keyboard.press('Enter'); console.log('skip', await active()); await page.keyboard.press('Tab'); console.log('then', await active())
  // phone: menu
  const phone = await (await browser.newContext({ viewport: { width: 360, height: 700 }, locale: 'en', storageState: await context.storageState() })).newPage()
  const act2 = () => phone.evaluate(() => { const a = document.activeElement; return `${a?.tagName}.${a?.className} "${(a?.getAttribute('aria-label') || a?.textContent || '').trim().slice(0, 40)}"` })
  await phone.goto(demo.url + '/', { waitUntil: 'networkidle' }); await phone.waitForTimeout(300)
  for (let i = 0; i < 5; i++) { await phone.keyboard.press('Tab'); console.log('phone tab', await act2()) }
  await phone.locator('.shell-top .button-icon').focus(); await phone.keyboard.press('Enter'); await phone.waitForTimeout(400); console.log('menu open', await act2())
  for (let i = 0; i < 4; i++) { await phone.keyboard.press('Tab'); console.log('phone tab', await act2()) }
  await phone.keyboard.press('Escape'); await phone.waitForTimeout(400); console.log('menu closed', await act2(), await phone.locator('.shell-nav').evaluate((n) => getComputedStyle(n).visibility))
} finally { await browser.close(); await demo.stop() }
