import './support/browser-globals.ts'
import { describe, expect, test } from 'bun:test'
import { setLanguage } from '../../src/web/locales/index.ts'
import { countLabels, keepUnchanged, matching, sortPodcasts, toSearchable } from '../../src/web/pages/home/list.ts'
import type { OwnPodcast } from '../../src/web/store/subscriptions.ts'

let made = 0

function podcast(title: string, fields: Partial<OwnPodcast> = {}): OwnPodcast {
  return {
    url: `https://feeds.example/${made++}`,
    title,
    ...{ author: '', language: '', has_picture: true, devices: ['phone'], added: '', newest_release: '' },
    ...{ private: false, health: { state: 'ok', since: '' } },
    ...fields,
  }
}

const titles = (list: readonly OwnPodcast[]) => list.map(({ title }) => title)

test('counts of new episodes end at 99', async () => {
  await setLanguage('en')
  expect(countLabels(99)).toEqual({ mark: '99', label: '99 new episodes' })
  expect(countLabels(100)).toEqual({ mark: '99+', label: 'More than 99 new episodes' })
})

describe('podcasts are sorted by', () => {
  test('title in natural order, those without a title last', () => {
    const nameless = podcast('feeds.example/none', { url: 'https://feeds.example/none' })
    const list = [nameless, podcast('Örbit'), podcast('apple'), podcast('Zebra'), podcast('Part 10'), podcast('Part 9')]
    expect(titles(sortPodcasts(list, 'title', 'en'))).toEqual([
      ...['apple', 'Örbit', 'Part 9', 'Part 10', 'Zebra', 'feeds.example/none'],
    ])
  })

  test('newest episode or by date of subscription, then by title', () => {
    const list = [
      podcast('B', { newest_release: '2025-01-01T00:00:00' }),
      podcast('none', { added: '2025-01-03T00:00:00' }),
      podcast('A', { newest_release: '2025-01-01T00:00:00' }),
      podcast('C', { newest_release: '2025-02-01T00:00:00', added: '2025-01-01T00:00:00' }),
    ]
    expect(titles(sortPodcasts(list, 'newest', 'en'))).toEqual(['C', 'A', 'B', 'none'])
    expect(titles(sortPodcasts(list, 'added', 'en')).slice(0, 2)).toEqual(['none', 'C'])
  })

  test('number of new episodes, then of unplayed ones', () => {
    const list = ['A', 'B', 'C', 'D'].map((title) => podcast(title))
    const counts = new Map(
      list.map(({ url }, n) => [url, { unplayed: [0, 100, 9, 3][n] ?? 0, new: [0, 1, 5, 0][n] ?? 0 }]),
    )
    expect(titles(sortPodcasts(list, 'unplayed', 'en', counts))).toEqual(['C', 'B', 'D', 'A'])
    expect(titles(sortPodcasts(list, 'unplayed', 'en'))).toEqual(['A', 'B', 'C', 'D'])
  })

  test('URL if everything else is equal', () => {
    const list = ['0', '1'].map((url) => podcast('A', { url }))
    expect(sortPodcasts(list.toReversed(), 'title', 'en')).toEqual(list)
  })
})

test.each([
  ['', '', 'Café Noir,Harbour Talk,Low Orbit'],
  ['cafe', '', 'Café Noir'],
  ['TIDE  talk', '', 'Harbour Talk'],
  ['tide orbit', '', ''],
  ['', 'desk', 'Low Orbit'],
  ['talk', 'desk', ''],
])('the filter %p with the device %p finds %s', (filter, device, expected) => {
  const list = [
    podcast('Café Noir'),
    podcast('Harbour Talk', { author: 'Tidewater' }),
    podcast('Low Orbit', { devices: ['desk'] }),
  ]
  const found = matching(toSearchable(list), filter, device)
  expect(titles(list.filter(({ url }) => found.has(url))).join(',')).toBe(expected)
})

test('a reloaded list keeps the objects of unchanged podcasts', () => {
  const old = [podcast('A'), podcast('B')]
  const [same, changed] = keepUnchanged(old, [{ ...old[0] }, { ...old[1], title: 'C' }] as OwnPodcast[])
  expect(same).toBe(old[0])
  expect(changed).toMatchObject({ title: 'C' })
})
