import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { silence, silenceBytes } from '../../src/demo/site.ts'
import type { Client } from '../support/client.ts'
import { serveSilence } from '../web/support/audio.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome, signOut } from './support/home.ts'
import { NO_POLLS, until, untilEqual } from './support/watch.ts'

/** Seconds of the episode. */
const LENGTH = 1200
/** Position at which the phone has stopped. */
const HEARD = 61

/**
 * Serves a feed with four episodes: one with chapters, one that does not support range requests, an endless stream, and
 * one whose file is gone. Records the requests for audio.
 */
function servePublisher() {
  const asked: string[] = []
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/feed.xml') return new Response(FEED(server.url.origin))
      if (pathname.startsWith('/a')) asked.push(`${pathname} ${request.headers.get('referer') ?? ''}`)
      if (pathname === '/whole.mp3') return new Response(silence(0, silenceBytes(LENGTH)), { headers: MP3 })
      if (pathname === '/live.mp3') return new Response(endless(), { headers: MP3 })
      return pathname === '/a.mp3' ? serveSilence(request, LENGTH) : new Response('gone', { status: 404 })
    },
  })
  return { url: server.url.origin, asked, stop: () => server.stop(true) }
}

const MP3 = { 'content-type': 'audio/mpeg' }

/** Endless silence. */
function endless(): ReadableStream<Uint8Array> {
  const second = silence(0, silenceBytes(1))
  return new ReadableStream({ pull: (controller) => controller.enqueue(second) })
}

const FEED = (
  base: string,
) => `<rss version="2.0" xmlns:psc="http://podlove.org/simple-chapters"><channel><title>Harbour Talk</title>
<item><title>Fog</title><guid>fog</guid><enclosure url="${base}/a.mp3" type="audio/mpeg"/><description>0:30 The horn</description>
<psc:chapters><psc:chapter start="0" title="Before"/><psc:chapter start="0:50" title="The horn"/></psc:chapters></item>
<item><title>Whole</title><guid>whole</guid><enclosure url="${base}/whole.mp3" type="audio/mpeg"/></item>
<item><title>Live</title><guid>live</guid><enclosure url="${base}/live.mp3" type="audio/mpeg"/></item>
<item><title>Bell</title><guid>bell</guid><enclosure url="${base}/ab.mp3" type="audio/mpeg"/></item></channel></rss>`

interface Action {
  readonly action: string
  readonly device?: string
  readonly started?: number
  readonly position?: number
  readonly total?: number
}

describeInBrowser('an episode', () => {
  const publisher = servePublisher()
  const home = openHome()
  afterAll(() => publisher.stop())

  const feed = `${publisher.url}/feed.xml`
  const media = `${publisher.url}/a.mp3`

  /** Adds a user whose phone has played the beginning of an episode. */
  async function addListener(username: string, episode = media): Promise<Client> {
    const client = await home.addUser(username)
    await succeed(client.post(`/api/2/devices/${username}/pixel.json`, { caption: 'Pixel 8', type: 'mobile' }))
    await succeed(client.post(`/api/2/subscriptions/${username}/pixel.json`, { add: [feed] }))
    const heard = { started: 0, position: HEARD, total: LENGTH, timestamp: '2025-03-02T10:00:00' }
    const action = { podcast: feed, episode, device: 'pixel', action: 'play', ...heard }
    await succeed(client.post(`/api/2/episodes/${username}.json`, [action]))
    return client
  }

  const player = (page: Page) => page.getByRole('region', { name: t('player.title') })
  const button = (page: Page, name: string) => player(page).getByRole('button', { name, exact: true })
  const slider = (page: Page) => player(page).getByRole('slider', { name: t('player.seek') })
  const positionOf = async (page: Page) => Number(await slider(page).inputValue())
  const continueButton = (page: Page, title: string) =>
    page.getByRole('button', { name: `${t('player.continue')}: ${title}` }).first()

  const PODCAST = `/podcast?url=${encodeURIComponent(feed)}`
  const EPISODE = `/episode?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(media)}`

  test('started on a phone continues in the browser, and the phone learns that it is finished', async () => {
    const client = await addListener('ida')
    const { json } = await succeed(client.get('/api/2/episodes/ida.json'))
    const since = Object(json).timestamp
    // Other tests have played it.
    publisher.asked.length = 0
    const { page, complaints } = await home.visitAs('ida', PODCAST)
    await page.getByText('Fog').waitFor()
    expect([complaints(), publisher.asked]).toEqual([[], []])

    await continueButton(page, 'Fog').click()
    await player(page)
      .getByText(t('player.fromDevice', { position: '1:01', device: 'Pixel 8' }))
      .waitFor()
    await player(page).getByText('The horn').waitFor()
    await button(page, t('player.pause')).waitFor()
    // Audio is requested without a referrer.
    expect(publisher.asked.at(0)).toBe('/a.mp3 ')
    complaints()
    await button(page, t('player.expand')).click()
    await page.getByRole('dialog').getByText('Before').waitFor()
    expect(await violationsOn(page)).toEqual([])
    await page.keyboard.press('Escape')

    // The player stays while pages change.
    await page.getByRole('link', { name: 'Fog', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Fog', level: 1 }).waitFor()
    expect(await positionOf(page)).toBeGreaterThanOrEqual(HEARD)
    await slider(page).press('End')
    await button(page, t('player.play')).waitFor()

    const reported = async () => {
      const { json } = await succeed(client.get(`/api/2/episodes/ida.json?since=${since}`))
      return Object(json).actions as Action[]
    }
    await untilEqual(async () => (await reported()).at(-1)?.position, LENGTH)
    const actions = await reported()
    expect(actions.at(-1)).toMatchObject({ action: 'play', position: LENGTH, total: LENGTH })
    expect(actions.every(({ device }) => device?.startsWith('browser-'))).toBe(true)
    expect(complaints().filter((complaint) => !complaint.includes('/a.mp3'))).toEqual([])
  })

  test('plays from a shared position or a timestamp in its notes, with shortcuts, and is back after a reload', async () => {
    await addListener('ole')
    const { page } = await home.visitAs('ole', `${EPISODE}#t=42`)
    await page.getByRole('button', { name: t('player.playFrom', { position: '0:42' }) }).click()
    await button(page, t('player.pause')).waitFor()
    await until(page, `document.title.startsWith('▶ Fog · ')`)
    await page.getByRole('button', { name: '0:30' }).click()
    await until(page, `Number(document.querySelector('.player-seek input').value) < 42`)
    await page.locator('h1').click()
    await page.keyboard.press('p')
    await button(page, t('player.play')).waitFor()
    await until(page, `document.title.startsWith('Fog · ')`)
    const before = await positionOf(page)
    await page.keyboard.press('ArrowRight')
    await until(page, `Number(document.querySelector('.player-seek input').value) === ${before + 30}`)

    const asked = publisher.asked.length
    await page.reload()
    await button(page, t('player.play')).waitFor()
    expect(await positionOf(page)).toBe(before + 30)
    expect(publisher.asked.length).toBe(asked)
    await button(page, t('player.play')).click()
    await button(page, t('player.pause')).waitFor()
  })

  test('plays in one tab at a time; a missing file is reported', async () => {
    await addListener('tom')
    const { page } = await home.visitAs('tom', EPISODE)
    await continueButton(page, 'Fog').click()
    await button(page, t('player.pause')).waitFor()
    const other = await page.context().newPage()
    await other.goto(home.url + PODCAST)
    await other.getByRole('button', { name: `${t('player.play')}: Bell` }).click()
    await player(other).getByText(t('player.failures.missing')).waitFor()
    await page.getByText(t('player.pausedByWindow')).waitFor()

    // Phones have a button to close the player next to the error, too.
    await other.setViewportSize({ width: 360, height: 780 })
    await button(other, t('player.close')).click()
    await player(other).waitFor({ state: 'detached' })
  })

  test('can be starred and marked on its page, in the list and while it plays, and shows the user’s chapters', async () => {
    const client = await addListener('uma')
    const own = { podcast: feed, episode: media, chapters_add: [{ start: 90, end: 95, label: 'The gulls' }] }
    await succeed(client.post('/api/2/chapters/uma.json', own))
    const { page, complaints } = await home.visitAs('uma', EPISODE, { script: NO_POLLS })
    await page.getByRole('button', { name: 'The gulls' }).waitFor()
    const star = () => page.getByRole('button', { name: t('favorites.favorite', { title: 'Fog' }), exact: true })
    await star().click()
    await page.locator('[data-on=true].favorite').waitFor()

    const mark = (name: string) => page.getByRole('button', { name: `${name}: Fog`, exact: true })
    const undo = () => page.locator('.toast button', { hasText: t('common.undo') })
    await mark(t('episodes.markPlayed')).click()
    await mark(t('episodes.markNew')).waitFor()
    await undo().click()
    await mark(t('episodes.markPlayed')).waitFor()
    expect(await violationsOn(page)).toEqual([])

    // Marking an episode closes the player, whose next report would contradict the mark.
    await continueButton(page, 'Fog').click()
    await button(page, t('player.pause')).waitFor()
    await page.getByText(t('player.privacy')).waitFor()
    await mark(t('episodes.markPlayed')).click()
    await player(page).waitFor({ state: 'detached' })
    // The privacy note is shown once.
    expect(await page.evaluate("localStorage.getItem('podstep.player-note')")).toBe('seen')
    await mark(t('episodes.markNew')).waitFor()

    await page.getByRole('link', { name: 'Harbour Talk' }).first().click()
    await untilEqual(() => star().getAttribute('aria-pressed'), 'true')
    await mark(t('episodes.markNew')).click()
    await mark(t('episodes.markPlayed')).waitFor()
    await undo().click()
    await mark(t('episodes.markNew')).waitFor()
    expect(complaints().filter((complaint) => !complaint.includes('/a.mp3'))).toEqual([])
  })

  test('is reported before the user signs out, and leaves nothing in the browser', async () => {
    const client = await addListener('ivy')
    const { page } = await home.visitAs('ivy', EPISODE)
    await page.route('**/api/2/episodes/ivy.json', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await listen(page)
    await page.keyboard.press('p')
    await until(page, `${REPORTS}.length > 0`)
    await signOut(page, 'ivy')
    await page.getByRole('alert').getByText(t('common.errors.unsent')).waitFor()
    await page.unroute('**/api/2/episodes/ivy.json')
    await signOut(page, 'ivy')
    await page.getByText(t('auth.signedOut')).waitFor()
    expect(await page.evaluate<string[]>(REPORTS)).toEqual([])
    const { json } = await succeed(client.get('/api/2/episodes/ivy.json'))
    expect(Object(json).actions.at(-1)).toMatchObject({ episode: media, started: 30 })
  })

  test('leaves nothing in the browser if another tab signs out while it plays', async () => {
    await addListener('amy')
    const { page } = await home.visitAs('amy', EPISODE)
    await listen(page)
    const other = await page.context().newPage()
    await other.goto(home.url)
    await signOut(other, 'amy')
    for (const tab of [other, page]) {
      await tab.getByText(t('auth.signedOut')).waitFor()
      expect(await tab.evaluate<string[]>(REPORTS)).toEqual([])
    }
  })

  /** The keys of unsent reports in the browser. */
  const REPORTS = `Object.keys(localStorage).filter((key) => key.startsWith('podstep.reports'))`

  /** Plays two seconds from 0:30. */
  async function listen(page: Page): Promise<void> {
    await page.getByRole('button', { name: '0:30' }).click()
    await button(page, t('player.pause')).waitFor()
    await until(page, `Number(document.querySelector('.player-seek input')?.value) >= 32`)
    await page.locator('h1').click()
  }

  test('has no seek bar if it is a stream, and keeps the position of the phone if the file cannot be seeked', async () => {
    const client = await addListener('una', `${publisher.url}/whole.mp3`)
    const { json } = await succeed(client.get('/api/2/episodes/una.json'))
    const { page } = await home.visitAs('una', PODCAST)
    await page.getByRole('button', { name: `${t('player.play')}: Live` }).click()
    await button(page, t('player.pause')).waitFor()
    await player(page).locator('.player-elapsed').waitFor()
    await until(page, `document.querySelector('.player-elapsed').textContent.endsWith('0:01')`)
    expect(await slider(page).count()).toBe(0)
    expect(await button(page, t('player.forward', { n: 30 })).isDisabled()).toBe(true)
    expect(await violationsOn(page)).toEqual([])

    await continueButton(page, 'Whole').click()
    await player(page)
      .getByText(t('player.unreached', { position: '1:01' }))
      .waitFor()
    expect(await slider(page).isDisabled()).toBe(true)
    expect(await positionOf(page)).toBeLessThan(HEARD)
    expect(await violationsOn(page)).toEqual([])
    await button(page, t('player.close')).click()
    await player(page).waitFor({ state: 'detached' })
    await page.locator('h1:focus').waitFor()
    const later = await succeed(client.get(`/api/2/episodes/una.json?since=${Object(json).timestamp}`))
    expect(Object(later.json).actions).toEqual([])
  })

  test('shows its progress in all tabs before it is reported', async () => {
    const client = await addListener('eva')
    const { page } = await home.visitAs('eva', PODCAST)
    const other = await page.context().newPage()
    await other.goto(home.url)
    const row = other.locator('.episode-row', { hasText: 'Fog' }).first()
    await row.locator(`progress[value="${HEARD}"]`).waitFor()
    await continueButton(page, 'Fog').click()
    await button(page, t('player.pause')).waitFor()
    await player(page)
      .getByRole('combobox', { name: t('player.speed') })
      .selectOption('3')
    // Nothing was reported yet: tabs inform each other.
    await until(other, `Number(document.querySelector('.episode-row progress').value) >= ${HEARD + 3}`)
    await button(page, t('player.close')).click()
    await player(page).waitFor({ state: 'detached' })

    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const bell = { podcast: feed, episode: `${publisher.url}/ab.mp3`, device: 'pixel', action: 'play' }
    await succeed(client.post('/api/2/episodes/eva.json', [{ ...bell, started: 0, position: 30, total: LENGTH }]))
    await continueButton(page, 'Bell').waitFor()
    expect(asked.filter((url) => url.includes('/me/podcast/episodes'))).toEqual([])

    // A new episode can be continued elsewhere on the page before it was reported.
    await page.getByRole('button', { name: `${t('player.play')}: Whole` }).click()
    const begun = other.getByRole('region', { name: t('home.continue') }).getByRole('listitem')
    await begun.first().getByText('Whole').waitFor()
    await other.close()
  })
})
