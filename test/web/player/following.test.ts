import '../support/browser-globals.ts'
import { expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import { followersOf } from '../../../src/web/store/episodes/following.ts'
import { createFindNext, nextInQueue } from '../../../src/web/store/episodes/next.ts'
import type { Playable } from '../../../src/web/store/playback/playable.ts'

const named = (title: string, isPlayed = false): Playable => ({
  ...{ podcast: 'https://feeds.tidewater.example/harbour.xml', podcastTitle: 'Harbour Talk', duration: null },
  ...{ title, url: `https://cdn.tidewater.example/${title}.mp3`, isPlayed },
})
const [FOG, BELL, TIDE, GULL] = [named('fog'), named('bell'), named('tide', true), named('gull')]

test.each([
  ['fog', 'bell'],
  ['bell', 'gull'],
  ['gull', 'fog'],
  ['tide', 'fog'],
])('after %s in the queue comes %s', (current, next) => {
  const items = [FOG, BELL, GULL].map((episode) => ({ episode }))
  expect(nextInQueue(items, named(current).url)?.episode.title).toBe(next)
})

test('no episode follows the only one in the queue', () => {
  expect(nextInQueue([{ episode: FOG }], FOG.url)).toBeUndefined()
})

test('an episode of a list is followed by the unplayed ones below it', () => {
  expect(followersOf([FOG, BELL, TIDE, GULL], FOG.url)).toEqual([BELL, GULL])
  expect(followersOf([BELL, GULL], FOG.url)).toEqual([])
})

function open({ queued = undefined as Playable | undefined, isOn = true, played = [] as readonly Playable[] } = {}) {
  const list = signal<readonly Playable[]>([BELL, GULL])
  let requests = 0
  const findNext = createFindNext({
    findQueued: async () => queued,
    keepsPlaying: async () => isOn,
    async findPlayed() {
      requests++
      return new Set(played.map(({ url }) => url))
    },
    list,
  })
  return { list, findNext, requests: () => requests }
}

test('the queue has priority over the list, which stays', async () => {
  const { findNext, list } = open({ queued: TIDE })
  expect(await findNext(FOG)).toBe(TIDE)
  expect(list.value).toEqual([BELL, GULL])
})

test('the list is played only if the user has chosen so', async () => {
  expect(await open({ isOn: false }).findNext(FOG)).toBeUndefined()
  expect(await open().findNext(FOG)).toBe(BELL)
})

test('episodes played on another device meanwhile are skipped, with one request per podcast', async () => {
  const { findNext, list, requests } = open({ played: [BELL] })
  expect(await findNext(FOG)).toBe(GULL)
  expect(list.value).toEqual([])
  expect(requests()).toBe(1)
})

test('a list started during the search for the next episode is kept', async () => {
  const { findNext, list } = open()
  const found = findNext(FOG)
  list.value = [TIDE]
  expect([await found, list.value]).toEqual([undefined, [TIDE]])
})
