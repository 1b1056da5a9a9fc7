import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { INTRUDERS, named, VECTORS } from './support/hostile-shows.ts'
import { goWithin, settle, type WatchedPage } from './support/watch.ts'

/** Different podcasts in turn, because the page of the same one would not load again. */
const SLUGS = ['kitchen', 'orbit', 'chess']

const PATHS = ['/podcast', '/episode'] as const
type Path = (typeof PATHS)[number]

/** The elements of the notes from top to bottom, without emphasis. */
const ELEMENTS = `[...document.querySelectorAll('.notes *')].filter((element) => !element.matches('em, strong, code, br, button'))
  .map((element) => element.localName).join(' ')`

const LINKS = `[...document.querySelectorAll('.notes a')].map(({ href, target, rel }) => [href, target, rel])`

const IMAGES = `document.querySelectorAll('.notes img').length`

describeInBrowser('notes', () => {
  const ida = demoBrowser()
  let watched: WatchedPage
  let page: Page
  let visits = 0

  beforeAll(async () => {
    watched = await ida.open()
    page = watched.page
    await page.goto(ida.demo.url)
  })

  function pathOf(path: Path, slug = 'harbour'): string {
    const feed = encodeURIComponent(`${ida.demo.feeds}/${slug}.xml`)
    const media = encodeURIComponent(`${ida.demo.feeds}/${slug}/34.mp3`)
    return path === '/podcast' ? `/podcast?url=${feed}` : `/episode?podcast=${feed}&url=${media}`
  }

  /** Opens a page with notes as if the server had sent them without sanitizing. */
  async function open(path: Path, notes: string, title = 'Fog'): Promise<void> {
    await page.unroute('**/api/2/me/podcast/*')
    await page.route('**/api/2/me/podcast/*', async (route) => {
      const answer: unknown = await (await route.fetch()).json()
      await route.fulfill({ json: { ...Object(answer), title, notes_html: notes } })
    })
    visits += 1
    await goWithin(page, pathOf(path, SLUGS[visits % SLUGS.length]))
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await settle(page)
  }

  async function expectCalm(): Promise<void> {
    expect(await page.evaluate<string[]>(INTRUDERS)).toEqual([])
    // Parsing event handlers is reported as a violation of the CSP, although they never run.
    expect(watched.complaints().filter((heard) => !/policy/i.test(heard))).toEqual([])
  }

  test('of a feed are headings, paragraphs, lists and links', async () => {
    // Removes the answers that other tests have put in place.
    await page.unroute('**/api/2/me/podcast/*')
    await page.goto(ida.demo.url + pathOf('/episode'))
    await settle(page)
    expect(await page.evaluate<string>(ELEMENTS)).toBe(
      'p h3 ul li li li ul li li p ol li a li a blockquote p p pre p a',
    )
    const beside = ['_blank', 'noopener noreferrer']
    expect(await page.evaluate<string[][]>(LINKS)).toEqual([
      ['https://tidewater.example/fog', ...beside],
      ['https://tidewater.example/pilots', ...beside],
      ['mailto:fog@tidewater.example', '', ''],
    ])
    expect(watched.complaints()).toEqual([])
  })

  test.each(PATHS)('have headings below that of %s, and texts instead of pictures', async (path) => {
    const pictures = `<img src="https://elsewhere.example/gull.png" alt="A gull"> <a href="https://b.example/"><img src="//c.example/x"></a>`
    await open(path, `<h1>Fog</h1><p>lifts ${pictures}</p><h4>Gulls</h4><h1>Boats</h1><ul>adrift<li></li></ul>`)
    const [first, second] = path === '/podcast' ? ['h2', 'h3'] : ['h3', 'h4']
    expect(await page.evaluate<string>(ELEMENTS)).toBe(`${first} p ${second} ${first} ul li`)
    expect(await page.evaluate<number>(IMAGES)).toBe(0)
    await page.locator('.notes p', { hasText: 'lifts A gull' }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    expect(watched.complaints()).toEqual([])
  })

  test('that are long show their beginning, and the rest on demand', async () => {
    await open('/podcast', Array.from({ length: 40 }, (_, index) => `<p>${index} ${'fog '.repeat(25)}</p>`).join(''))
    expect(await page.locator('.notes p').count()).toBeLessThan(12)
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('button', { name: t('podcast.restOfNotes') }).press('Enter')
    await page.locator('.notes p', { hasText: '39 fog' }).waitFor()
    expect(await page.locator('.notes p').count()).toBe(40)
    await page.locator('.notes-rest:focus').waitFor()
    expect(await violationsOn(page)).toEqual([])
  })

  test.each([
    ['deep', '<blockquote>'.repeat(3000), 30],
    ['many', `<ul>${'<li>f'.repeat(9000)}</ul>`, 6000],
  ])('that are too %s are cut', async (_how, notes, most) => {
    await open('/episode', `${notes}fog`)
    expect(await page.locator('.notes *').count()).toBeLessThan(most)
    expect(watched.complaints()).toEqual([])
  })

  test.each(PATHS)('that are hostile do nothing on %s, even if the server did not sanitize them', async (path) => {
    for (const [index, vector] of VECTORS.entries()) {
      if (index % 8 !== 4 * PATHS.indexOf(path)) continue
      await open(path, vector, named(index))
      await expectCalm()
    }
  })
})
