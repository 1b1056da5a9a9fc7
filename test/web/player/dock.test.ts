import '../support/browser-globals.ts'
import { expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import { restoreDock, storeDock } from '../../../src/web/store/playback/dock.ts'
import type { Playable, Playing } from '../../../src/web/store/playback/playable.ts'
import { memoryStorage } from '../support/storage.ts'

const FOG: Playable = {
  ...{ podcast: 'https://feeds.example/harbour', url: 'https://cdn.example/fog.mp3', title: 'Fog' },
  ...{ podcastTitle: 'Harbour', duration: 1800 },
}

const BELL: Playable = { ...FOG, url: 'https://cdn.example/bell.mp3', title: 'Bell' }

function state(playing?: Playing, position = 0) {
  return {
    playing: signal(playing),
    position: signal(position),
    total: signal(1800),
    following: signal<readonly Playable[]>([]),
  }
}

test('an episode is restored, paused at its position', () => {
  const tab = memoryStorage()
  const before = state({ episode: FOG, status: 'playing' }, 754)
  before.following.value = [BELL]
  storeDock(before, 'ida', tab)
  const again = state()
  restoreDock(again, 'ida', tab)
  expect(again.playing.value).toEqual({ episode: FOG, status: 'paused' })
  expect([again.position.value, again.total.value, again.following.value]).toEqual([754, 1800, [BELL]])
})

test.each([
  ['for another user', 'ole', 'playing'],
  ['after the player was closed', 'ida', undefined],
] as const)('it is not restored %s', (_when, username, status) => {
  const tab = memoryStorage()
  const before = state({ episode: FOG, status: 'playing' })
  storeDock(before, 'ida', tab)
  if (status === undefined) before.playing.value = undefined
  const again = state()
  restoreDock(again, username, tab)
  expect(again.playing.value).toBeUndefined()
})

test.each(['{', 'null', '{"username":"ida"}', '{"username":"ida","episode":{"url":1},"position":1,"total":1}'])(
  'the invalid entry %p is ignored',
  (stored) => {
    const again = state()
    restoreDock(again, 'ida', memoryStorage(new Map([['podstep.dock', stored]])))
    expect(again.playing.value).toBeUndefined()
  },
)
