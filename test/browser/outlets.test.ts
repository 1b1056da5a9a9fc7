import { afterAll, beforeAll, expect, test } from 'bun:test'
import { t, textsIn } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'

const de = textsIn('de')

describeInBrowser('feeds and notifications', () => {
  /** Messages that the receiver got. */
  const received: unknown[] = []
  let receiver: Bun.Server<undefined>
  const home = openHome(() => {
    receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const text = await request.text()
        received.push(JSON.parse(text))
        // Rejects the messages of one user.
        return new Response('', { status: text.includes('oles-podcasts') ? 500 : 200 })
      },
    })
    return { SVC_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8' }
  })

  beforeAll(async () => {
    for (const name of ['ida', 'ole']) await home.addUser(name)
  })

  afterAll(() => receiver.stop(true))

  test('notifications can be turned on, tested, and turned off', async () => {
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

  test('a bad address is reported at its field, and a failed test with the reason in its own language', async () => {
    const { page } = await home.visitAs('ole', '/outlets', { locale: 'de' })
    const field = page.getByLabel(de('outlets.webhook.url.ntfy'))
    const turnOn = page.getByRole('button', { name: de('outlets.webhook.turnOn') })
    await field.fill('http://192.168.1.7/pods')
    await turnOn.click()
    await page.locator('.field-error', { hasText: de('outlets.webhook.fields.url') }).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await page.locator('input[type="url"]:focus').waitFor()
    await field.fill(`${receiver.url.href}oles-podcasts`)
    await turnOn.click()
    await page.getByRole('button', { name: de('outlets.webhook.test') }).click()
    const notice = page.getByRole('alert').filter({ hasText: de('errors.codes.webhook_failed') })
    await notice.locator('[lang="en"]', { hasText: 'answered 500' }).waitFor()
  })

  test('private feeds are created, shown once, and revoked', async () => {
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
