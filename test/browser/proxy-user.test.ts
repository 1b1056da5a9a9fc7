import { afterAll, expect, test } from 'bun:test'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome, signOut } from './support/home.ts'
import { settle } from './support/watch.ts'

/** Where the proxy comes from: another address than that of the browsers, which are not trusted. */
const PROXY = '127.0.0.2'
const HEADER = 'remote-user'

/** An authenticating proxy in front of the server at `upstream`, in which `name` is signed in. */
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

  test('is signed in without a question, and after signing out with one', async () => {
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

  test('becomes another user when the proxy names another, and nobody when there is no account of that name', async () => {
    await home.addUser('nils')
    await home.addUser('uma')
    name = 'nils'
    const { page, complaints } = await visitByProxy()
    await page.goto(`${home.url}/account`)
    await isUser(page, 'nils')
    name = 'uma'
    await page.goto(`${home.url}/account`)
    await isUser(page, 'uma')
    // The session of Nils is refused, which the browser reports by itself.
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
    // That the session of Uma is refused and there is no such account, which the browser reports by itself.
    expect(complaints().filter((text) => !/401|\/auth\/proxy\/login/.test(text))).toEqual([])
  })

  test('who sends the header by another way than the proxy is asked for the password', async () => {
    await home.addUser('ole')
    const { page, complaints } = await home.visit({ extraHTTPHeaders: { [HEADER]: 'ole' } })
    await page.goto(`${home.url}/account`)
    await page.getByLabel(t('auth.password')).waitFor()
    await settle(page)
    expect(await page.getByText('ole', { exact: false }).count()).toBe(0)
    expect(await page.evaluate("fetch('auth/proxy/login', { method: 'POST' }).then(({ status }) => status)")).toBe(403)
    await page.goto(`${home.url}/account`)
    await page.getByLabel(t('auth.password')).waitFor()
    expect(complaints().filter((text) => !text.includes('/auth/proxy/login'))).toEqual([])
  })
})
