import { afterAll, beforeAll, expect, test } from 'bun:test'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { ADMIN, openHome } from './support/home.ts'
import { settle, type WatchedPage } from './support/watch.ts'

const OFF = t('errors.codes.outbound_off')

describeInBrowser('a server without outbound connections', () => {
  /** Requests to other servers. */
  const asked: string[] = []
  let other: Bun.Server<undefined>
  const home = openHome(() => {
    other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ url }) {
        asked.push(url)
        return new Response('<rss version="2.0"><channel><title>Harbour Talk</title></channel></rss>')
      },
    })
    return { SVC_OUTBOUND: 'off', SVC_DIRECTORY_URL: other.url.href, SVC_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8' }
  })
  const feed = () => `${other.url.href}harbour.xml`

  beforeAll(async () => {
    await home.addUser('vera')
  })

  afterAll(async () => {
    await other.stop(true)
    expect(asked).toEqual([])
  })

  async function expectNoComplaints({ page, complaints }: WatchedPage): Promise<void> {
    await settle(page)
    expect(await violationsOn(page)).toEqual([])
    expect(complaints()).toEqual([])
  }

  test('adds podcasts without a lookup, explains why they have no episodes, and searches only known podcasts', async () => {
    const watched = await home.visitAs('vera', '/add')
    const { page } = watched
    await page.getByLabel(t('add.leadLink')).fill(feed())
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText(t('add.reasons.outbound_off')).waitFor()
    await expectNoComplaints(watched)
    await page.getByRole('button', { name: t('add.anyway') }).click()
    const podcast = page.getByRole('main').getByRole('link', { name: 'harbour.xml' })
    await podcast.first().waitFor()
    await podcast.first().click()
    await page.getByText(OFF).first().waitFor()
    await expectNoComplaints(watched)

    // Discover finds known podcasts, even by URL, and does not mention a directory.
    await page.goto(`${home.url}/discover?q=lighthouse`)
    await page.getByText(t('discover.hereNone')).waitFor()
    expect(await page.getByRole('heading', { name: t('discover.elsewhere') }).count()).toBe(0)
    expect(await page.getByText(t('add.onlyHere')).count()).toBe(0)
    await expectNoComplaints(watched)
    await page.getByRole('searchbox').fill(feed())
    await page.getByRole('main').getByRole('link', { name: 'harbour.xml' }).first().waitFor()
    await expectNoComplaints(watched)
  })

  test('offers private feeds, but neither notifications nor imports from servers', async () => {
    const watched = await home.visitAs('vera', '/outlets')
    const { page } = watched
    await page.getByText(OFF).waitFor()
    expect(await page.getByRole('button', { name: t('outlets.webhook.turnOn') }).count()).toBe(0)
    await page.getByRole('button', { name: t('outlets.feeds.make') }).click()
    await page.getByLabel(t('outlets.feeds.name')).fill('Car radio')
    await page.getByRole('button', { name: t('outlets.feeds.create') }).click()
    await page.getByText(t('outlets.feeds.made', { name: 'Car radio' })).waitFor()
    await expectNoComplaints(watched)

    await page.goto(`${home.url}/transfer`)
    await page.getByRole('button', { name: 'gpodder.net' }).click()
    await page.getByText(OFF).waitFor()
    expect(await page.getByLabel(t('transfer.address')).count()).toBe(0)
    await expectNoComplaints(watched)
  })

  test('informs the administrator, and reports no feed as failing', async () => {
    const watched = await home.visitAs(ADMIN, '/admin/server')
    const { page } = watched
    await page.getByText(t('admin.doctor.others'), { exact: true }).click()
    await page.locator('[data-check=directory]').getByText(t('admin.doctor.seen.directory_off')).waitFor()
    const row = page.locator('div', { has: page.locator('dt', { hasText: t('admin.server.outbound') }) }).last()
    expect(await row.textContent()).toContain(t('admin.server.off'))
    await expectNoComplaints(watched)

    await page.goto(`${home.url}/admin/feeds`)
    await page.getByText(OFF).waitFor()
    expect(await page.getByRole('button', { name: t('admin.feeds.refreshAll') }).count()).toBe(0)
    expect((await home.admin().get('/api/admin/feeds/status')).json).toMatchObject({ failing_total: 0 })
    await expectNoComplaints(watched)
  })
})
