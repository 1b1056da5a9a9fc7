import { expect, test } from 'bun:test'
import { withChanges } from '../../../src/web/store/episodes/changes.ts'
import type { Action } from '../../../src/web/store/playback/progress.ts'

const FOG = { url: 'https://cdn.tidewater.example/fog.mp3', guid: 'fog', title: 'Fog', state: 'new' as const }
const BELL = {
  ...{ url: 'https://cdn.tidewater.example/bell.mp3', guid: '', title: 'Bell', state: 'in_progress' as const },
  ...{ position: 60, total: 100, device: 'phone' },
}
const LIST = [FOG, BELL]

const play = (fields: Partial<Action> = {}): Action => ({
  ...{ episode: BELL.url, action: 'play', timestamp: '2026-11-21T12:00:00' },
  ...fields,
})

const { position: _, total: __, device: ___, ...PLAIN } = BELL

test.each([
  [play({ position: 70, total: 100, device: 'desk' }), { ...BELL, position: 70, device: 'desk' }],
  [play({ position: 100, total: 100 }), { ...PLAIN, state: 'played', position: 100, total: 100 }],
  [play(), { ...PLAIN, state: 'played', position: 0 }],
  [play({ position: 0, total: 100 }), { ...PLAIN, state: 'new' }],
  [play({ action: 'new' }), { ...PLAIN, state: 'new' }],
  [play({ action: 'download' }), { ...PLAIN, state: 'new' }],
] as const)('%o updates an episode', (action, expected) => {
  expect(withChanges(LIST, [action]) as unknown).toEqual([FOG, expected])
})

test('episodes with the same media URL are distinguished by guid', () => {
  const days = ['monday', 'tuesday'].map((guid) => ({ ...FOG, guid }))
  const news = days.map(({ url, guid }, n) => play({ episode: url, guid, position: 5 + n }))
  const shown = withChanges(days, news.toReversed()) as unknown
  expect(shown).toMatchObject([{ position: 5 }, { position: 6 }])
})

test('an episode with another media URL is recognized by its guid', () => {
  const moved = play({ episode: 'https://elsewhere.example/fog.mp3', guid: 'fog', position: 5 })
  expect(withChanges(LIST, [moved]) as unknown).toEqual([{ ...FOG, state: 'in_progress', position: 5 }, BELL])
  expect(withChanges(LIST, [{ ...moved, guid: '' }])).toEqual(LIST)
})
