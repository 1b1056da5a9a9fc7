import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { planTitles, TITLE_MAX } from '../../../src/domain/sync/provisional-titles.ts'
import { planChange } from '../../../src/domain/sync/subscriptions.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'

describe('an upload of subscription changes', () => {
  test('keeps the order, lists each feed once, and drops blanks silently, even from both lists', () => {
    const remove = ['https://c.example/f']
    const change = { add: ['', B, A, B], remove: ['', ...remove, ' ', ...remove] }
    expect(planChange(change)).toEqual({ add: [B, A], remove, updateUrls: [] })
  })

  test('stores normalized URLs and reports the changes of both lists', () => {
    expect(planChange({ add: ['http://Tide.example', 'ftp://a.example/'], remove: ['HTTP://b.example'] })).toEqual({
      add: ['http://tide.example/'],
      remove: ['http://b.example/'],
      updateUrls: [
        ['http://Tide.example', 'http://tide.example/'],
        ['ftp://a.example/', ''],
        ['HTTP://b.example', 'http://b.example/'],
      ],
    })
  })

  test('refuses the same text in both lists', () => {
    for (const same of [A, 'nonsense'])
      expect(() => planChange({ add: [B, same], remove: [same] })).toThrow(
        expect.objectContaining({ code: 'validation_failed' }),
      )
  })

  test('adds a feed whose two spellings are in both lists', () => {
    expect(planChange({ add: ['http://A.example/'], remove: ['http://a.example/', B] })).toEqual({
      add: ['http://a.example/'],
      remove: [B],
      updateUrls: [['http://A.example/', 'http://a.example/']],
    })
  })

  test('never lists a feed twice', () => {
    const url = fc.constantFrom(A, B, ...' http://A.example,http://a.example/,feed://a.example/,,x'.split(','))
    fc.assert(
      fc.property(fc.array(url), fc.array(url), (add, remove) => {
        fc.pre(!add.some((raw) => raw !== '' && remove.includes(raw)))
        const plan = planChange({ add, remove })
        const all = [...plan.add, ...plan.remove]
        expect(new Set(all).size).toBe(all.length)
        expect(new Set(plan.updateUrls.map(([old]) => old)).size).toBe(plan.updateUrls.length)
      }),
    )
  })
})

const titleOf = (title: string | undefined, url = A) => planTitles([{ url, title }]).get(A)

test.each([
  ['is kept as it is', 'Harbour Talk', 'Harbour Talk'],
  ['loses surrounding white space and control characters', ' \u0000Harbour\r\n\tTalk\u001b ', 'Harbour Talk'],
  ['has half a surrogate pair replaced', 'Harbour \ud83d', 'Harbour \ufffd'],
  ['may be as long as allowed', 'b'.repeat(TITLE_MAX), 'b'.repeat(TITLE_MAX)],
  ['is cut beyond that', 'b'.repeat(TITLE_MAX + 1), `${'b'.repeat(TITLE_MAX - 1)}…`],
  ['is not cut within a character', `${'b'.repeat(TITLE_MAX - 2)}🚢 and on`, `${'b'.repeat(TITLE_MAX - 2)}…`],
  ['has its entities decoded', 'Caf&eacute; &amp; Fog&#8217;s &#x1F30A;', 'Café & Fog’s 🌊'],
  ['keeps an ampersand that starts no entity', 'Fog & Tide; R&D &fog;', 'Fog & Tide; R&D &fog;'],
  ['is ignored if it is blank', ' \n ', undefined],
  ['is ignored if it is missing', undefined, undefined],
  ['is ignored if it is the URL', A, undefined],
  ['is ignored if it is the URL in another spelling', 'HTTPS://A.example/f', undefined],
])('a title %s', (_what, given, expected) => {
  expect(titleOf(given)).toBe(expected)
})

test('titles belong to the stored URL, the first one of a feed wins, and invalid URLs have none', () => {
  const titles = planTitles([
    { url: 'HTTPS://A.example/f', title: ' ' },
    { url: 'feed:https://a.example/f', title: 'First' },
    { url: A, title: 'Second' },
    { url: 'nonsense', title: 'Third' },
    { url: 'nonsense', title: 'nonsense' },
  ])
  expect([...titles]).toEqual([[A, 'First']])
})
