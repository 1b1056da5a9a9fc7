import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { png } from '../support/pictures.ts'
import { serveSilence } from '../web/support/audio.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { VECTORS } from '../worker/parse/hostile-texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { until, untilEqual } from './support/watch.ts'

const LENGTH = 1200

const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23)
const vtt = (lines: readonly string[], each: number) =>
  `WEBVTT\n\n${lines.map((line, n) => `${time(n * each)} --> ${time((n + 1) * each - 0.1)}\n<v Ida ${n}>${line}`).join('\n\n')}\n`

const LINES = Array.from({ length: 100 }, (_, n) =>
  n % 25 === 7 ? `The Élan sails, number ${n}.` : `Fog, number ${n}.`,
)

/** Files by path: transcripts (one with times, one hostile, one very long, one without times) and chapters. */
const FILES: Readonly<Record<string, string>> = {
  '/fog.vtt': vtt(LINES, 10),
  '/hostile.vtt': vtt(
    VECTORS.map((text) => text.replaceAll(/\s+/g, ' ').replaceAll('-->', '')),
    1,
  ),
  '/long.vtt': vtt(
    Array.from({ length: 20_000 }, (_, n) => `Gull ${n}.`),
    0.05,
  ),
  '/words.html': '<html><body><cite>Ole:</cite><p>Nothing but <b>words</b>.</p><script>go()</script></body></html>',
  '/chapters.json': JSON.stringify({
    chapters: [
      { startTime: 0, title: 'Before' },
      { startTime: 100, title: 'The <b>horn</b>', img: '/horn.png', url: 'javascript:go()' },
      { startTime: 200, title: 'After', url: 'https://tidewater.example/after' },
    ],
  }),
}

const TRANSCRIPTS = ['fog.vtt', 'hostile.vtt', 'long.vtt', 'words.html', 'gone.vtt'] as const

function servePublisher() {
  const asked: string[] = []
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(`${pathname} ${request.headers.get('user-agent') ?? ''}`)
      if (pathname === '/feed.xml') return new Response(feedOf(server.url.origin))
      if (pathname === '/horn.png') return new Response(new Uint8Array(png(64, 64)))
      if (pathname.endsWith('.mp3')) return serveSilence(request, LENGTH)
      const text = FILES[pathname]?.replaceAll('"/horn.png"', `"${server.url.origin}/horn.png"`)
      return text === undefined ? new Response('gone', { status: 404 }) : new Response(text)
    },
  })
  return { url: server.url.origin, asked, stop: () => server.stop(true) }
}

function feedOf(base: string): string {
  const items = TRANSCRIPTS.map(
    (name) =>
      `<item><title>${name}</title><guid>${name}</guid><enclosure url="${base}/${name}.mp3" type="audio/mpeg"/>
       <podcast:transcript url="${base}/${name}" type="${name.endsWith('vtt') ? 'text/vtt' : 'text/html'}"/>
       <podcast:chapters url="${base}/chapters.json" type="application/json+chapters"/></item>`,
  )
  return `<rss xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Harbour</title>${items.join('')}</channel></rss>`
}

describeInBrowser('a transcript', () => {
  const publisher = servePublisher()
  const home = openHome()
  afterAll(() => publisher.stop())

  const feed = `${publisher.url}/feed.xml`

  async function open(username: string, name: (typeof TRANSCRIPTS)[number]) {
    const client = await home.addUser(username)
    await succeed(client.post(`/api/2/subscriptions/${username}/phone.json`, { add: [feed] }))
    const url = `${publisher.url}/${name}.mp3`
    // Waits until the feed has been fetched.
    const about = `/api/2/me/podcast/episode?${new URLSearchParams({ podcast: feed, url })}`
    await untilEqual(async () => (await client.get(about)).status, 200)
    const watched = await home.visitAs(username, `/episode?${new URLSearchParams({ podcast: feed, url })}`)
    const section = watched.page.locator('main .transcript')
    const show = () => section.getByRole('button', { name: t('podcast.transcripts.show') }).click()
    return { ...watched, section, show, cue: (n: number) => section.locator(`[data-cue="${n}"]`) }
  }

  const isInView = (page: Page, n: number) =>
    page.evaluate((index) => {
      const box = document.querySelector('main .transcript-cues')?.getBoundingClientRect()
      const row = document.querySelector(`main [data-cue="${index}"]`)?.getBoundingClientRect()
      return box !== undefined && row !== undefined && row.top >= box.top && row.bottom <= box.bottom
    }, n)

  test('is loaded on demand through the server, seeks, follows playback, and can be searched', async () => {
    const { page, section, show, cue, complaints } = await open('ida', 'fog.vtt')
    const isAsked = () => publisher.asked.some((each) => each.startsWith('/fog.vtt '))
    await section.waitFor()
    expect(isAsked()).toBe(false)
    await show()
    await cue(3).waitFor()
    expect(complaints()).toEqual([])
    expect(publisher.asked.find((each) => each.startsWith('/fog.vtt '))).toContain('podstep/')
    expect(await violationsOn(page)).toEqual([])

    // Playback requests nothing but audio from the publisher.
    await cue(50).click()
    await untilEqual(() => cue(50).getAttribute('aria-current'), 'true')
    await untilEqual(() => isInView(page, 50), true)
    expect(complaints().filter((each) => !each.includes('/fog.vtt.mp3'))).toEqual([])

    // After scrolling by hand, it follows again on request.
    await section.locator('.transcript-cues').dispatchEvent('wheel')
    await section.locator('.transcript-cues').evaluate((box) => box.scrollTo(0, 0))
    await section.getByRole('button', { name: t('podcast.transcripts.follow') }).click()
    await untilEqual(() => isInView(page, 50), true)

    // One Tab stop, with arrow keys inside.
    expect(await section.locator('button[data-cue][tabindex="0"]').count()).toBe(1)
    await cue(50).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await untilEqual(() => cue(51).getAttribute('aria-current'), 'true')

    const search = section.getByRole('searchbox')
    await search.fill('ELAN')
    await section.getByText(t('podcast.transcripts.matches', { at: 1, n: 4 })).waitFor()
    expect(await cue(7).locator('mark').textContent()).toBe('Élan')
    await search.press('Enter')
    await section.getByText(t('podcast.transcripts.matches', { at: 2, n: 4 })).waitFor()
    await untilEqual(() => isInView(page, 32), true)
    await search.fill('submarine')
    await section.getByText(t('podcast.transcripts.noMatch')).waitFor()
  })

  test('shows hostile texts as text', async () => {
    const { section, show, cue, complaints } = await open('ole', 'hostile.vtt')
    await show()
    await cue(0).waitFor()
    expect(await section.locator('.transcript-cues :not(div, button, span, strong)').count()).toBe(0)
    expect(complaints()).toEqual([])
  })

  test('finds the last of 20,000 lines', async () => {
    const { page, section, show, cue } = await open('lea', 'long.vtt')
    await show()
    await cue(0).waitFor()
    await section.getByRole('searchbox').fill('Gull 19999.')
    const found = section.locator('[data-cue]', { has: page.locator('mark') })
    await found.waitFor()
    const last = Number(await found.getAttribute('data-cue'))
    expect(last).toBeGreaterThan(1000)
    await untilEqual(() => isInView(page, last), true)
  })

  test('can be read without times, and says so if it is unavailable', async () => {
    const { section, show, cue, complaints, page } = await open('tove', 'words.html')
    await show()
    await cue(0).waitFor()
    expect(await cue(0).textContent()).toBe('Ole Nothing but words.')
    expect(await section.locator('button[data-cue]').count()).toBe(0)
    expect(await violationsOn(page)).toEqual([])
    const gone = new URLSearchParams({ podcast: feed, url: `${publisher.url}/gone.vtt.mp3` })
    await page.goto(`${home.url}/episode?${gone}`)
    await show()
    await section.getByText(t('podcast.transcripts.states.unavailable')).waitFor()
    expect(await section.getByRole('link').getAttribute('href')).toBe(`${publisher.url}/gone.vtt`)
    expect(complaints()).toEqual([])
  })

  test('is next to chapters, with pictures through the server and safe links', async () => {
    const { page, complaints } = await open('uma', 'fog.vtt')
    const chapters = page.locator('main .chapter-list li')
    await untilEqual(() => chapters.count(), 3)
    const picture = chapters.nth(1).locator('img')
    await untilEqual(() => picture.evaluate((img) => img instanceof HTMLImageElement && img.naturalWidth > 0), true)
    expect(await picture.getAttribute('src')).toStartWith('artwork/')
    expect(
      await page.locator('main .chapter-list a').evaluateAll((links) => links.map((a) => a.getAttribute('href'))),
    ).toEqual(['https://tidewater.example/after'])
    expect(await chapters.nth(1).textContent()).toContain('The <b>horn</b>')
    expect(complaints()).toEqual([])
    await chapters.nth(1).getByRole('button').click()
    const seek = page.getByRole('slider', { name: t('player.seek') })
    await untilEqual(async () => (await seek.getAttribute('aria-valuetext'))?.endsWith('The <b>horn</b>'), true)
    const systemArtwork = `navigator.mediaSession.metadata?.artwork.every(({ src }) => src.includes('&chapter='))`
    await until(page, systemArtwork)
  })
})
