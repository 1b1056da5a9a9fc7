import { expect, test } from 'bun:test'
import { planTitles, TITLE_MAX } from '../../../src/domain/sync/provisional-titles.ts'

const A = 'https://feeds.example/a'

const titleOf = (title: string | undefined, url = A) => planTitles([{ url, title }]).get(A)

test.each([
  ['is kept as it is', 'Harbour Talk', 'Harbour Talk'],
  ['loses white space and controls', ' \u0000Harbour\r\n\tTalk\u001b ', 'Harbour Talk'],
  ['loses half a character', 'Harbour \ud83d', 'Harbour \ufffd'],
  ['may be as long as allowed', 'b'.repeat(TITLE_MAX), 'b'.repeat(TITLE_MAX)],
  ['is cut beyond', 'b'.repeat(TITLE_MAX + 1), `${'b'.repeat(TITLE_MAX - 1)}…`],
  ['is not cut within a character', `${'b'.repeat(TITLE_MAX - 2)}🚢 and on`, `${'b'.repeat(TITLE_MAX - 2)}…`],
  ['says nothing if it is blank', ' \n ', undefined],
  ['says nothing if it is missing', undefined, undefined],
  ['says nothing if it is the address', A, undefined],
  ['says nothing if it is the address, written otherwise', 'HTTPS://Feeds.example/a', undefined],
])('a title %s', (_what, given, expected) => {
  expect(titleOf(given)).toBe(expected)
})

test('titles are kept by the address as it is stored, the first of a feed and none of what is no address', () => {
  const titles = planTitles([
    { url: 'HTTPS://Feeds.example/a', title: ' ' },
    { url: 'feed:https://feeds.example/a', title: 'First' },
    { url: A, title: 'Second' },
    { url: 'nonsense', title: 'Third' },
    { url: 'nonsense', title: 'nonsense' },
  ])
  expect([...titles]).toEqual([[A, 'First']])
})
