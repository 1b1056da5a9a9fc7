import { beforeAll, expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { settle } from './support/watch.ts'

/** Podcasts that are known to be available by HTTPS because another user has subscribed to them so. */
const SHOWS = [
  ['night', 'Night Trains'],
  ['orbit', 'Low Orbit'],
  ['moss', 'Moss & Lichen'],
] as const

describeInBrowser('better addresses', () => {
  const home = openHome()
  let http: string[]
  let https: string[]

  beforeAll(async () => {
    http = SHOWS.map(([slug]) => `${home.feeds()}/${slug}.xml`)
    https = http.map((url) => url.replace('http:', 'https:'))
    const ole = await home.addUser('ole')
    await succeed(ole.post('/api/2/subscriptions/ole/tablet.json', { add: https }))
  })

  test('are offered on Home, and switched to when the user says so: one, then all others', async () => {
    const ida = await home.addUser('ida')
    await succeed(ida.post('/api/2/devices/ida/phone.json', { caption: 'Phone', type: 'mobile' }))
    await succeed(ida.post('/api/2/devices/ida/laptop.json', { caption: 'Laptop', type: 'laptop' }))
    await succeed(ida.post('/api/2/subscriptions/ida/laptop.json', { add: http.slice(0, 1) }))
    await succeed(ida.post('/api/2/subscriptions/ida/phone.json', { add: http }))
    let since = (await changesSince(ida, 0)).timestamp
    // Refreshed so that they have titles.
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
    expect(await changesSince(ida, since)).toMatchObject({ add: [], remove: [] })

    for (const title of ['Low Orbit', 'Moss & Lichen'])
      await dialog.getByRole('checkbox', { name: new RegExp(`^${title}`) }).uncheck()
    await dialog.getByRole('button', { name: t('upgrades.submit') }).click()
    await page.getByText(t('upgrades.finished', { n: 1 })).waitFor()
    const first = await changesSince(ida, since)
    expect(first).toMatchObject({ add: https.slice(0, 1), remove: http.slice(0, 1) })
    expect((await ida.get('/subscriptions/ida/laptop.json')).json).toEqual(https.slice(0, 1))

    since = first.timestamp
    await page.getByText(t('home.upgrades', { n: 2 })).waitFor()
    await page.getByRole('button', { name: t('home.showUpgrades') }).click()
    await dialog.getByRole('button', { name: t('upgrades.submit') }).click()
    await page.getByText(t('upgrades.finished', { n: 2 })).waitFor()
    const { add, remove } = await changesSince(ida, since)
    expect([new Set(add), new Set(remove)]).toEqual([new Set(https.slice(1)), new Set(http.slice(1))])
    await page.getByRole('button', { name: t('home.showUpgrades') }).waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
  })

  test('also list podcasts that have moved permanently', async () => {
    const eva = await home.addUser('eva')
    const old = `${home.feeds()}/old/night.xml`
    const now = `${home.feeds()}/night.xml`
    await succeed(eva.post('/api/2/subscriptions/eva/phone.json', { add: [old] }))
    await home.admin().post(`/api/admin/feeds/update/single?url=${encodeURIComponent(old)}`)

    const { page, complaints } = await home.visitAs('eva')
    await page.getByRole('button', { name: t('home.showUpgrades') }).click()
    const dialog = page.getByRole('dialog', { name: t('upgrades.title') })
    await dialog.getByText(`${old} → ${now}`).waitFor()
    await dialog.getByRole('button', { name: t('upgrades.submit') }).click()
    await page.getByText(t('upgrades.finished', { n: 1 })).waitFor()
    expect((await eva.get('/subscriptions/eva/phone.json')).json).toEqual([now])
    expect(complaints()).toEqual([])
  })
})

interface Changes {
  readonly add: readonly string[]
  readonly remove: readonly string[]
  readonly timestamp: number
}

/** As an app asks when it syncs. */
async function changesSince(client: Client, since: number): Promise<Changes> {
  return (await succeed(client.get(`/api/2/subscriptions/ida/phone.json?since=${since}`))).json as Changes
}
