import { beforeAll, expect, test } from 'bun:test'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { settle } from './support/watch.ts'

/** Podcasts that are available over HTTPS, since another user has subscribed to them that way. */
const SHOWS = [
  ['night', 'Night Trains'],
  ['orbit', 'Low Orbit'],
  ['moss', 'Moss & Lichen'],
] as const

describeInBrowser('upgrades of feed URLs', () => {
  const home = openHome()
  let http: string[]
  let https: string[]

  beforeAll(async () => {
    http = SHOWS.map(([slug]) => `${home.feeds()}/${slug}.xml`)
    https = http.map((url) => url.replace('http:', 'https:'))
    const ole = await home.addUser('ole')
    await succeed(ole.post('/api/2/subscriptions/ole/tablet.json', { add: https }))
  })

  test('are offered on Home, and applied to the selected podcasts', async () => {
    const ida = await home.addUser('ida')
    await succeed(ida.post('/api/2/devices/ida/phone.json', { caption: 'Phone', type: 'mobile' }))
    await succeed(ida.post('/api/2/devices/ida/laptop.json', { caption: 'Laptop', type: 'laptop' }))
    await succeed(ida.post('/api/2/subscriptions/ida/laptop.json', { add: http.slice(0, 1) }))
    await succeed(ida.post('/api/2/subscriptions/ida/phone.json', { add: http }))
    const listOf = async (device: string) =>
      new Set((await succeed(ida.get(`/subscriptions/ida/${device}.json`))).json as string[])
    // Gives them titles.
    for (const url of http) await home.admin().post(`/api/admin/feeds/update/single?url=${encodeURIComponent(url)}`)

    const { page, complaints } = await home.visitAs('ida', '/')
    await page.getByRole('button', { name: t('home.showUpgrades') }).click()
    const dialog = page.getByRole('dialog', { name: t('upgrades.title') })
    await dialog.getByText(t('upgrades.noUndo')).waitFor()
    await settle(page)
    expect(await dialog.locator('[dir="auto"]').allTextContents()).toEqual([
      'Low Orbit',
      'Moss & Lichen',
      'Night Trains',
    ])
    for (const title of ['Low Orbit', 'Moss & Lichen'])
      await dialog.getByRole('checkbox', { name: new RegExp(`^${title}`) }).uncheck()
    await dialog.getByRole('button', { name: t('upgrades.submit') }).click()
    await page.getByText(t('upgrades.finished', { n: 1 })).waitFor()
    expect(await listOf('phone')).toEqual(new Set([...https.slice(0, 1), ...http.slice(1)]))
    expect(await listOf('laptop')).toEqual(new Set(https.slice(0, 1)))

    await page.getByText(t('home.upgrades', { n: 2 })).waitFor()
    await page.getByRole('button', { name: t('home.showUpgrades') }).click()
    await dialog.getByRole('button', { name: t('upgrades.submit') }).click()
    await page.getByText(t('upgrades.finished', { n: 2 })).waitFor()
    expect(await listOf('phone')).toEqual(new Set(https))
    await page.getByRole('button', { name: t('home.showUpgrades') }).waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
  })
})
