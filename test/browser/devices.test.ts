import { expect, test } from 'bun:test'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'

describeInBrowser('devices', () => {
  const home = openHome(() => ({ SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8' }))

  test('browsers that only play are folded, and none of the devices for podcasts', async () => {
    const ole = await home.addUser('ole')
    const add = [`${home.feeds()}/harbour.xml`]
    for (const app of ['Phone', 'Tablet']) {
      const id = app.toLowerCase()
      await succeed(ole.post(`/api/2/devices/ole/${id}.json`, { caption: app, type: 'mobile' }))
      await succeed(ole.post(`/api/2/subscriptions/ole/${id}.json`, { add, remove: [] }))
    }
    for (const n of [1, 2, 3]) {
      const browser = { caption: 'Firefox on Linux', type: 'other' }
      await succeed(ole.post(`/api/2/devices/ole/browser-${n}.json`, browser))
    }

    const { page } = await home.visitAs('ole', '/devices')
    await page.getByText('Tablet').first().waitFor()
    expect(await page.getByText('Firefox on Linux').filter({ visible: true }).count()).toBe(0)
    expect(await violationsOn(page)).toEqual([])
    await page.getByText(t('devices.browsers', { n: 3 })).click()
    for (const name of ['Firefox on Linux', 'Firefox on Linux (2)', 'Firefox on Linux (3)']) {
      await page.getByText(name, { exact: true }).filter({ visible: true }).waitFor()
    }
    expect(await violationsOn(page)).toEqual([])

    await page.goto(home.url)
    await page.getByRole('button', { name: 'Tablet' }).waitFor()
    expect(await page.getByRole('button', { name: /Firefox/ }).count()).toBe(0)
  })
})
