import '../support/browser-globals.ts'
import { afterEach, expect, test } from 'bun:test'
import { setLanguage } from '../../../src/web/locales/index.ts'
import type { Engine } from '../../../src/web/store/playback/engine.ts'
import {
  controlPlayer,
  endPlaying,
  isInPlayer,
  onPlayerNeeded,
  play,
  player,
  togglePlaying,
} from '../../../src/web/store/player.ts'
import { toasts } from '../../../src/web/store/toasts.ts'

const FOG = {
  ...{ podcast: 'https://feeds.tidewater.example/harbour.xml', url: 'https://cdn.tidewater.example/fog.mp3' },
  ...{ title: 'Fog', podcastTitle: 'Harbour Talk', duration: 1800 },
}

/** Waits until the player is loaded. */
const loaded = () => Bun.sleep(0)

function fakeEngine(): string[] {
  const log: string[] = []
  const engine: Partial<Engine> = {
    async play({ title }, from) {
      log.push(`play ${title} ${from ?? ''}`)
    },
    async close() {
      log.push('close')
    },
    toggle: () => void log.push('toggle'),
    seek: (to) => void log.push(`seek ${to}`),
    setSpeed: (speed) => void log.push(`speed ${speed}`),
  }
  onPlayerNeeded(async () => engine as Engine)
  return log
}

afterEach(() => {
  player.playing.value = undefined
  toasts.value = []
})

test('shortcuts do nothing without an episode', async () => {
  const log = fakeEngine()
  expect(controlPlayer('toggle')).toBe(false)
  togglePlaying()
  await loaded()
  expect(log).toEqual([])
})

test('calls and shortcuts control the player', async () => {
  const log = fakeEngine()
  play(FOG, 60)
  player.playing.value = { episode: FOG, status: 'playing' }
  player.position.value = 100
  for (const key of ['toggle', 'back', 'forward', 'faster', 'slower'] as const) controlPlayer(key)
  await loaded()
  expect(log).toEqual(['play Fog 60', 'toggle', 'seek 85', 'seek 130', 'speed 1.1', 'speed 0.8'])
  expect([isInPlayer(FOG.url), isInPlayer('')]).toEqual([true, false])
})

test('marking an episode closes the player only if it has that episode', async () => {
  const log = fakeEngine()
  await endPlaying([FOG.url])
  player.playing.value = { episode: FOG, status: 'playing' }
  await endPlaying(['https://cdn.tidewater.example/bell.mp3'])
  expect(log).toEqual([])
  await endPlaying([FOG.url])
  expect(log).toEqual(['close'])
})

test('a player that cannot be loaded is reported', async () => {
  await setLanguage('en')
  onPlayerNeeded(() => Promise.reject(new Error('no network')))
  play(FOG)
  await loaded()
  expect(toasts.value).toMatchObject([{ kind: 'error' }])
})
