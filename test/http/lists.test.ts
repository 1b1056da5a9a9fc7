import { describe, expect, test } from 'bun:test'
import { type Answer, basic } from '../support/client.ts'
import { openDirectory } from './directory/scene.ts'
import { expectError } from './error.ts'

// Rules for every list of podcasts.

const { as, anyone } = await openDirectory({
  people: { ida: ['a'], bob: ['b'] },
  feeds: { a: { title: 'Harbour & "Sea"', tags: ['Sea'] }, b: { title: 'Harbour Talk', tags: ['Sea'] } },
})

await as('ida').post('/api/2/lists/ida/create.json?title=Mine', ['https://feeds.example/a', 'https://feeds.example/b'])

interface List {
  /** Without the suffix. */
  readonly path: string
  readonly isPublic: boolean
  /** Of the OPML document. */
  readonly title: string
  readonly feeds: readonly string[]
}

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'

const LISTS: readonly List[] = [
  { path: '/toplist', isPublic: true, title: 'Top podcasts', feeds: [A, B] },
  { path: '/toplist/50', isPublic: true, title: 'Top podcasts', feeds: [A, B] },
  { path: '/search', isPublic: true, title: 'Search results', feeds: [A, B] },
  { path: '/api/2/lists/ida/list/mine', isPublic: true, title: 'Mine', feeds: [A, B] },
  { path: '/suggestions/10', isPublic: false, title: 'Suggestions for ida', feeds: [B] },
  { path: '/subscriptions/ida', isPublic: false, title: 'Subscriptions of ida', feeds: [A] },
  { path: '/subscriptions/ida/phone', isPublic: false, title: 'Subscriptions of ida', feeds: [A] },
]

const CONTENT_TYPES = {
  json: /^application\/json(?:; ?charset=utf-8)?$/i,
  jsonp: /^application\/javascript; charset=utf-8$/i,
  txt: /^text\/plain; charset=utf-8$/i,
  opml: /^text\/xml; charset=utf-8$/i,
  xml: /^application\/xml; charset=utf-8$/i,
}

const WITHOUT_FUNCTION = ['json', 'txt', 'opml', 'xml'] as const
const FORMATS = [...WITHOUT_FUNCTION, 'jsonp'] as const

/** All texts of the first group of `pattern`. */
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

/** Feed URLs of a JSON list of strings or objects. */
function urlsIn({ json }: Answer): unknown[] {
  if (!Array.isArray(json)) throw new Error('no list')
  return json.map((item: unknown) => (typeof item === 'string' ? item : Object(item).url))
}

describe.each([...LISTS])('the list $path', ({ path, isPublic, title, feeds }) => {
  const client = isPublic ? anyone : as('ida')
  const formats = isPublic ? FORMATS : WITHOUT_FUNCTION
  const get = (suffix: string, query = '', headers: Record<string, string> = {}) =>
    client.get(`${path}.${suffix}?q=harbour${query}`, { headers })

  test('has the same feeds in every format, and suffixes in any case', async () => {
    for (const format of formats) {
      const { status, headers, text } = await get(format, '&jsonp=show')
      expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(CONTENT_TYPES[format])])
      expect((await get(format.toUpperCase(), '&jsonp=show')).text).toBe(text)
    }
    const json = await get('json')
    expect(urlsIn(json)).toEqual([...feeds])
    if (isPublic) expect((await get('jsonp', '&jsonp=my_Callback_2')).text).toBe(`my_Callback_2(${json.text})`)
    expect((await get('txt')).text).toBe(feeds.map((url) => `${url}\n`).join(''))
    expect(matches((await get('xml')).text, /<url>([^<]*)<\/url>/g)).toEqual([...feeds])
    const { text } = await get('opml')
    expect(matches(text, / xmlUrl="([^"]*)"/g)).toEqual([...feeds])
    expect(matches(text, /<title>([^<]*)</g)).toEqual([title])
    // Other formats ignore the function name.
    for (const format of WITHOUT_FUNCTION) expect((await get(format, '&jsonp=a()')).text).toBe((await get(format)).text)
    expectError(await get('rss'), 400, 'invalid_format')
  })

  test('accepts and ignores a logo size from 1 to 256 (D7)', async () => {
    const { text } = await get('json')
    for (const size of ['1', '64', '256'])
      expect(await get('json', `&scale_logo=${size}`)).toMatchObject({ status: 200, text })
    // It is checked before the format.
    for (const size of ['0', '257', '-1', '1.5', 'big', '', '0x10', '1e2', '%2064'])
      for (const format of [...FORMATS, 'rss'])
        expectError(await get(format, `&scale_logo=${size}`), 400, 'validation_failed', 'scale_logo')
  })

  test.each(formats)('as %s allows all origins, is cacheable if public, and supports HEAD (D1, D4)', async (format) => {
    const { headers, text } = await get(format, '&jsonp=show', { origin: 'https://other.example' })
    expect(headers.get('cache-control')).toBe(isPublic ? 'public, max-age=300' : 'no-store')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    if (isPublic) expect(headers.get('set-cookie')).toBeNull()
    const head = await client.call('HEAD', `${path}.${format}?q=harbour&jsonp=show`)
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(head.headers.get('content-type')).toBe(headers.get('content-type'))
  })

  test('is the same for everybody if public, and otherwise private and never JSONP', async () => {
    const address = `${path}.json?q=harbour`
    if (isPublic) {
      const { text } = await anyone.get(address)
      expect(await as('ida').get(address)).toMatchObject({ status: 200, text })
      expect(await anyone.get(address, { headers: basic('ida', 'wrong') })).toMatchObject({ status: 200, text })
      const refused = await anyone.get(`${path}.jsonp?q=harbour&jsonp=a()`)
      expectError(refused, 400, 'validation_failed', 'jsonp')
      expect(refused.headers.get('cache-control')).toBe('no-store')
      return
    }
    for (const suffix of ['jsonp', 'JSONP', 'JsonP'])
      for (const query of ['', '?jsonp=show', '?jsonp=a()']) {
        const refused = await as('ida').get(`${path}.${suffix}${query}`)
        expectError(refused, 400, 'invalid_format')
        expect(refused.headers.get('content-type')).toMatch(CONTENT_TYPES.json)
      }
    for (const each of [address, `${path}.jsonp?jsonp=show`]) expectError(await anyone.get(each), 401, 'unauthorized')
  })
})

test.each(['/toplist', '/suggestions', '/api/2/tags', '/api/2/tag/sea'])(
  'the count of %s must be a number',
  async (path) => {
    const none = ['many', '1.5', '1e2', '0x10', '+5', '%205', '5%20', '%EF%BC%95', 'NaN', '-', '', '5,5', '%zz', '5%FF']
    for (const count of none) expectError(await as('ida').get(`${path}/${count}.json`), 404, 'not_found')
  },
)
