import { beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { notesOf } from '../../src/formats/notes.ts'
import { t } from '../web/support/texts.ts'
import { VECTORS } from '../worker/parse/hostile-texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { INTRUDERS, named } from './support/hostile-shows.ts'
import { goWithin, settle, type WatchedPage } from './support/watch.ts'

/** Podcasts to alternate between, because opening the same page again would not load it. */
const SLUGS = ['kitchen', 'orbit', 'chess']

const PATHS = ['/podcast', '/episode'] as const
type Path = (typeof PATHS)[number]

/** Each vector is tested on one of the pages, in short tests. */
const PART = 32
const HOSTILE = PATHS.flatMap((path, place) => [0, 8, 16, 24].map((start) => [path, start + 4 * place] as const))

/** The elements of the notes in order, without inline markup. */
const ELEMENTS = `[...document.querySelectorAll('.notes *')].filter((element) => !element.matches('em, strong, code, br, button'))
  .map((element) => element.localName).join(' ')`

const LINKS = `[...document.querySelectorAll('.notes a')].map(({ href, target, rel }) => [href, target, rel])`

describeInBrowser('notes', () => {
  const ida = demoBrowser()
  let first: WatchedPage
  let watched: WatchedPage
  let page: Page
  /** Overrides the notes and the title in responses of the server. */
  let wanted: { readonly notes: string; readonly title: string }
  let visits: number

  beforeAll(async () => {
    first = await ida.open()
  })

  beforeEach(async () => {
    watched = await ida.openTab(first)
    page = watched.page
    visits = 0
  })

  function pathOf(path: Path, slug = 'harbour'): string {
    const feed = encodeURIComponent(`${ida.demo.feeds}/${slug}.xml`)
    const media = encodeURIComponent(`${ida.demo.feeds}/${slug}/34.mp3`)
    return path === '/podcast' ? `/podcast?url=${feed}` : `/episode?podcast=${feed}&url=${media}`
  }

  /** Opens a page with notes as if the server had not sanitized them. Each page of a test needs its own title. */
  async function open(path: Path, notes: string, title = 'Fog'): Promise<void> {
    wanted = { notes, title }
    if (visits === 0) {
      await page.route('**/api/2/me/podcast/*', async (route) => {
        const { title } = wanted
        const notes = notesOf(wanted.notes, route.request().url().includes('/about') ? 1 : 2)
        const answer: unknown = await (await route.fetch()).json()
        await route.fulfill({ json: { ...Object(answer), title, notes } })
      })
      await page.goto(ida.demo.url)
    }
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

  test('are shown as headings, paragraphs, lists and links', async () => {
    await page.goto(ida.demo.url + pathOf('/episode'))
    await settle(page)
    expect(await page.evaluate<string>(ELEMENTS)).toBe(
      'p h3 ul li li li ul li li p ol li a li a blockquote p p pre p a',
    )
    const external = ['_blank', 'noopener noreferrer']
    expect(await page.evaluate<string[][]>(LINKS)).toEqual([
      ['https://tidewater.example/fog', ...external],
      ['https://tidewater.example/pilots', ...external],
      ['mailto:fog@tidewater.example', '', ''],
    ])
    expect(watched.complaints()).toEqual([])
  })

  test('are shortened if they are long, with a button for the rest', async () => {
    await open('/podcast', Array.from({ length: 40 }, (_, index) => `<p>${index} ${'fog '.repeat(25)}</p>`).join(''))
    expect(await page.locator('.notes p').count()).toBeLessThan(12)
    await page.getByRole('button', { name: t('podcast.restOfNotes') }).press('Enter')
    await page.locator('.notes p', { hasText: '39 fog' }).waitFor()
    expect(await page.locator('.notes p').count()).toBe(40)
    await page.locator('.notes-rest:focus').waitFor()
    expect(await violationsOn(page)).toEqual([])
  })

  test.each(HOSTILE)(
    'are harmless on %s even if the server did not sanitize them (vectors from %i on)',
    async (path, start) => {
      for (let index = start; index < VECTORS.length; index += PART) {
        await open(path, VECTORS[index] ?? '', named(index))
        await expectCalm()
      }
    },
  )
})
