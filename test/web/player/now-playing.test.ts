import '../support/browser-globals.ts'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  currentProgress,
  handleProgress,
  inProgressHere,
  type Progress,
} from '../../../src/web/store/playback/now-playing.ts'
import { account } from '../../../src/web/store/session.ts'
import { signInAs } from '../support/account.ts'

const FOG = 'https://cdn.tidewater.example/fog.mp3'
const BELL = 'https://cdn.tidewater.example/bell.mp3'
const AT_TEN: Progress = { username: 'ida', url: FOG, status: 'playing', position: 10, total: 100 }

const timers = new Set<() => void>()

function tell(changes: Partial<Progress> = {}): void {
  handleProgress({ ...AT_TEN, ...changes }, (_, work) => {
    timers.add(work)
    return () => timers.delete(work)
  })
}

function expire(): void {
  for (const work of timers) work()
}

beforeEach(() => signInAs())

afterEach(() => {
  expire()
  timers.clear()
  account.value = null
})

test('the playing episode has the progress of its tab, and others have none', () => {
  tell()
  tell({ position: 11 })
  expect(currentProgress(FOG)).toEqual({ position: 11, total: 100, isDone: false, device: undefined })
  expect(currentProgress(BELL)).toBeUndefined()
  tell({ url: BELL, total: 0 })
  expect([currentProgress(FOG), currentProgress(BELL)?.total]).toEqual([undefined, undefined])
  tell({ url: BELL, position: 100 })
  expect(currentProgress(BELL)?.isDone).toBe(true)
})

test.each(['playing', 'paused'] as const)('progress of an episode that is %s expires without updates', (status) => {
  tell()
  tell({ status })
  expect([currentProgress(FOG)?.position, timers.size]).toEqual([10, 1])
  expire()
  expect(currentProgress(FOG)).toBeUndefined()
})

test('closing an episode ends its progress, and only that', () => {
  tell()
  tell({ url: BELL, status: 'closed' })
  tell({ url: BELL, status: 'paused' })
  expect(currentProgress(FOG)?.position).toBe(10)
  tell({ status: 'closed' })
  expect([currentProgress(FOG), timers.size]).toEqual([undefined, 0])
})

test('tabs of another user are ignored', () => {
  tell({ username: 'ole' })
  expect(currentProgress(FOG)).toBeUndefined()
})

test('lists know the playing episode until it is finished', () => {
  const episode = { url: FOG, title: 'Fog', podcast: 'https://feeds.tidewater.example/harbour.xml' }
  const playable = { ...episode, podcastTitle: 'Harbour Talk', duration: 100 }
  tell({ episode: playable })
  tell({ episode: { ...playable }, position: 11 })
  expect(inProgressHere.value).toBe(playable)
  tell({ episode: playable, position: 100 })
  expect(inProgressHere.value).toBeUndefined()
})
