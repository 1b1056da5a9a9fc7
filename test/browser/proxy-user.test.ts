import { afterAll, expect, test } from 'bun:test'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome, signOut } from './support/home.ts'
import { settle } from './support/watch.ts'

/** The address of the trusted proxy, unlike that of the browsers. */
const PROXY = '127.0.0.2'
const HEADER = 'remote-user'

/** Starts an authenticating proxy in front of the server at `upstream`, in which `name` is signed in. */
async function startProxy(upstream: () => string, name: () => string) {
  const server = createServer((asked, answer) => {
    const { hostname, port } = new URL(upstream())
    const { pathname, search } = new URL(asked.url ?? '', upstream())
    const { method, headers } = asked
    const passed = request(
      {
        method,
        hostname,
        port,
        path: pathname + search,
        localAddress: PROXY,
        headers: { ...headers, [HEADER]: name() },
      },
      (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers)
        answer.flushHeaders()
        answered.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => server.close(),
  }
}

describeInBrowser('a user behind an authenticating proxy', () => {
  let name = ''
  const home = openHome(() => ({ SVC_TRUSTED_PROXIES: PROXY, SVC_PROXY_USER_HEADER: HEADER }))
  const proxy = startProxy(home.localUrl, () => name)
  afterAll(async () => (await proxy).stop())

  const visitByProxy = async () => home.visit({ proxy: { server: (await proxy).url } })
  const isUser = (page: Page, username: string) => page.getByText(t('account.lead', { username })).waitFor()

  test('is signed in automatically, and after signing out only on request', async () => {
    await home.addUser('vera')
    name = 'vera'
    const { page, complaints } = await visitByProxy()
    await page.goto(`${home.url}/account`)
    await isUser(page, 'vera')
    await settle(page)
    await signOut(page, 'vera')
    await page.getByText(t('auth.signedOut')).waitFor()
    await page.getByText(t('auth.proxy.lead', { name: 'vera' })).waitFor()
    await page.getByText(t('auth.proxy.other')).waitFor()
    expect(await page.getByLabel(t('auth.password')).count()).toBe(0)
    await settle(page)
    expect(await violationsOn(page)).toEqual([])
    expect(await home.statusOf('vera')).toBe(200)
    await page.getByRole('button', { name: t('auth.proxy.continue', { name: 'vera' }) }).click()
    await page.getByRole('button', { name: t('common.person').replace('{name}', 'vera') }).waitFor()
    expect(complaints()).toEqual([])
  })

  test('becomes another user when the proxy names one, and is signed out if that account does not exist', async () => {
    await home.addUser('nils')
    await home.addUser('uma')
    name = 'nils'
    const { page, complaints } = await visitByProxy()
    await page.goto(`${home.url}/account`)
    await isUser(page, 'nils')
    name = 'uma'
    await page.goto(`${home.url}/account`)
    await isUser(page, 'uma')
    // Browsers log the refused session of Nils,
    expect(complaints().filter((text) => !text.includes('401'))).toEqual([])

    name = 'eve'
    await page.goto(`${home.url}/account`)
    await page
      .getByRole('alert')
      .getByText(t('auth.proxy.unknown', { name: 'eve' }))
      .waitFor()
    await settle(page)
    expect(await violationsOn(page)).toEqual([])
    expect(await page.getByText('uma').count()).toBe(0)
    // and here that of Uma and the refused sign-in.
    expect(complaints().filter((text) => !/401|\/auth\/proxy\/login/.test(text))).toEqual([])
  })
})
