import { afterAll, beforeAll, expect, test } from 'bun:test'
import { t, textsIn } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'

const de = textsIn('de')

describeInBrowser('feeds and notifications', () => {
  /** What the receiver of the messages got. */
  const received: unknown[] = []
  let receiver: Bun.Server<undefined>
  const home = openHome(() => {
    receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const text = await request.text()
        received.push(JSON.parse(text))
        // Of one user it takes nothing.
        return new Response('', { status: text.includes('oles-podcasts') ? 500 : 200 })
      },
    })
    return { SVC_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8' }
  })

  beforeAll(async () => {
    for (const name of ['ida', 'ole', 'eva']) await home.addUser(name)
  })

  afterAll(() => receiver.stop(true))

  test('notifications are turned on, tried, and turned off again', async () => {
    const { page, complaints } = await home.visitAs('ida', '/outlets')
    await page.getByLabel(t('outlets.webhook.url.ntfy')).fill(`${receiver.url.href}idas-podcasts`)
    await page.getByRole('button', { name: t('outlets.webhook.turnOn') }).click()
    await page.getByText(t('outlets.webhook.unused')).waitFor()
    await page.getByRole('button', { name: t('outlets.webhook.test') }).click()
    await page.getByText(t('outlets.webhook.tested')).waitFor()
    expect(received).toContainEqual(expect.objectContaining({ topic: 'idas-podcasts' }))
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('button', { name: t('outlets.webhook.remove') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('outlets.webhook.remove') })
      .click()
    await page.getByRole('button', { name: t('outlets.webhook.turnOn') }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: t('outlets.webhook.turnOn') }).waitFor()
    expect(complaints()).toEqual([])
  })

  test('a test that fails says so in the language of the page, and quotes the reason', async () => {
    const { page } = await home.visitAs('ole', '/outlets', { locale: 'de' })
    await page.getByLabel(de('outlets.webhook.url.ntfy')).fill(`${receiver.url.href}oles-podcasts`)
    await page.getByRole('button', { name: de('outlets.webhook.turnOn') }).click()
    await page.getByRole('button', { name: de('outlets.webhook.test') }).click()
    const notice = page.getByRole('alert').filter({ hasText: de('errors.codes.webhook_failed') })
    await notice.locator('[lang="en"]', { hasText: 'answered 500' }).waitFor()
  })

  test('a bad address is told beside the field, and nothing is saved', async () => {
    const { page } = await home.visitAs('eva', '/outlets', { locale: 'de' })
    const field = page.getByLabel(de('outlets.webhook.url.ntfy'))
    for (const address of ['', 'http://192.168.1.7/pods']) {
      await field.fill(address)
      await page.getByRole('button', { name: de('outlets.webhook.turnOn') }).click()
      await page.locator('.field-error', { hasText: de('outlets.webhook.fields.url') }).waitFor()
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      await page.locator('input[type="url"]:focus').waitFor()
      expect(await field.inputValue()).toBe(address)
      await page.reload()
      await field.waitFor()
    }
    expect(await page.getByRole('button', { name: de('outlets.webhook.test') }).count()).toBe(0)
  })

  test('private feeds are made for an app, shown once, and removed', async () => {
    const { page, complaints } = await home.visitAs('ida', '/outlets')
    await page.getByText(t('outlets.feeds.none')).waitFor()
    await page.getByRole('button', { name: t('outlets.feeds.make') }).click()
    await page.getByLabel(t('outlets.feeds.name')).fill('Boat radio')
    await page.keyboard.press('Enter')
    await page.getByText(t('outlets.feeds.made', { name: 'Boat radio' })).waitFor()
    const field = page.locator('.copy-field', { hasText: t('outlets.feeds.new') })
    const feed = (await field.locator('code').textContent()) ?? ''
    expect(feed).toStartWith(`${home.url}/feeds/`)
    await page.getByRole('img', { name: t('outlets.feeds.qr') }).waitFor()
    const path = feed.slice(home.url.length)
    expect((await home.client().get(path)).status).toBe(200)
    await page.reload()
    await page.getByText('Boat radio', { exact: true }).first().waitFor()
    expect(await page.getByText(feed).count()).toBe(0)
    await page.getByRole('button', { name: t('account.appPasswords.revoke') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('account.appPasswords.revoke') })
      .click()
    await page.getByText(t('outlets.feeds.none')).waitFor()
    expect((await home.client().get(path)).status).toBe(404)
    expect(complaints()).toEqual([])
  })
})
