import { expect, test } from 'bun:test'
import { noLimit } from '../../src/domain/shared/rate-limit.ts'
import { createAppleDirectory } from '../../src/outbound/apple-directory.ts'
import { reasonOf } from '../support/values.ts'

/** A directory that gives these answers in turn. */
function appleWith(...answers: { readonly status?: number; readonly json?: unknown; readonly text?: string }[]) {
  const asked: string[] = []
  async function fetch({ url }: { readonly url: string }) {
    const { status = 200, json, text = JSON.stringify(json) } = answers[asked.length] ?? {}
    asked.push(url.replace('https://apple.example', ''))
    const body = new TextEncoder().encode(text)
    return { status, headers: new Headers(), body, url, permanentUrl: url, leads: [], isInside: false }
  }
  const directory = createAppleDirectory({ fetcher: { fetch }, baseUrl: 'https://apple.example', requests: noLimit })
  return { directory, asked }
}

const entry = (id: unknown) => ({ id: { attributes: { 'im:id': id } } })
const results = (...list: unknown[]) => ({ json: { results: list } })

test('podcasts without a feed URL and repeated feeds are omitted', async () => {
  const feedUrl = 'https://feeds.example/harbour'
  const { directory } = appleWith(
    results(
      { collectionName: 'Only in the app' },
      { collectionName: 'Odd', feedUrl: 'javascript:alert(1)' },
      { collectionName: 'Harbour', feedUrl, artworkUrl600: 'data:x', artworkUrl100: 'https://img.example/1' },
      { collectionName: 'Harbour again', feedUrl: `${feedUrl}/` },
      'no podcast',
    ),
  )
  expect(await directory.search('x', 20)).toMatchObject([{ title: 'Harbour', logoUrl: 'https://img.example/1' }])
})

const COUNTRIES = { de: 'de', 'pt-br': 'br', en: 'us', ja: 'jp', xx: 'us', x: 'us' }

test.each([[undefined, 'us'], ...Object.entries(COUNTRIES)])(
  'the charts for the language %p are those of %s',
  async (language, country) => {
    const { directory, asked } = appleWith({ json: { feed: {} } })
    expect(await directory.trending(language, 5)).toEqual([])
    expect(asked).toEqual([`/${country}/rss/toppodcasts/limit=5/json`])
  },
)

test.each<[string, unknown, string | undefined]>([
  ['several', { feed: { entry: [entry('1'), entry('2')] } }, '1%2C2'],
  ['one that is not in a list', { feed: { entry: entry('1') } }, '1'],
  ['more than requested', { feed: { entry: ['1', '2', '3', '4'].map(entry) } }, '1%2C2%2C3'],
  ['invalid IDs', { feed: { entry: [entry('1&x=2'), entry(7), entry(null), null, 'x'] } }, undefined],
  ['nothing', {}, undefined],
])('a chart of %s', async (_case, chart, ids) => {
  const { directory, asked } = appleWith({ json: chart }, results())
  expect(await directory.trending(undefined, 3)).toEqual([])
  expect(asked[1]).toBe(ids && `/lookup?id=${ids}&entity=podcast`)
})

test.each([
  [{ status: 403, text: '' }, /limits the number of requests \(403\)/],
  [{ status: 503, text: '' }, /answers 503/],
  [{ text: '<html>' }, /is invalid/],
  [{ json: { results: 'none' } }, /is invalid/],
  [{ json: [] }, /is invalid/],
])('an unusable answer is reported: %p', async (answer, message) => {
  const failure = await reasonOf(appleWith(answer).directory.search('x', 20))
  expect(failure).toMatchObject({ trouble: 'answer' })
  expect(Object(failure).message).toMatch(message)
})
