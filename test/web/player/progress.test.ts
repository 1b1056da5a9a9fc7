import { describe, expect, test } from 'bun:test'
import { isVideo } from '../../../src/web/store/playback/playable.ts'
import {
  type Action,
  chapterAt,
  clock,
  progressOf,
  progressOfItem,
  resumeOf,
} from '../../../src/web/store/playback/progress.ts'
import { speedNextTo } from '../../../src/web/store/playback/speeds.ts'

const URL = 'https://cdn.tidewater.example/fog.mp3'

const action = (values: Partial<Action>): Action => ({
  episode: URL,
  action: 'play',
  timestamp: '2026-11-21T12:00:00',
  ...values,
})

describe('progress', () => {
  test.each([
    ['the latest play decides', [{ position: 9, timestamp: '2026-11-21T13:00:00' }, { position: 5 }], 9],
    ['at the same time, the later one in the list decides', [{ position: 5 }, { position: 9 }], 9],
    ['a download changes nothing', [{ position: 5 }, { action: 'download', timestamp: '2026-11-22T12:00:00' }], 5],
    ['a mark as new resets it', [{ position: 5 }, { action: 'new', timestamp: '2026-11-22T12:00:00' }], undefined],
  ] as const)('%s', (_, actions, position) => {
    expect(progressOf(actions.map(action)).get(URL)?.position).toBe(position)
  })

  test.each([
    [{ position: 100, total: 100 }, true],
    // The server counts it as unplayed, and so do the pages.
    [{ position: 99, total: 100 }, false],
    [{ position: 96 }, false],
    [{}, true],
  ] as const)('%j is finished: %p', (values, isDone) => {
    expect(progressOf([action(values)]).get(URL)?.isDone).toBe(isDone)
  })
})

describe('an episode continues', () => {
  test('at the position where the last device has stopped', () => {
    const heard = { position: 966, total: 1224, device: 'phone' }
    const actions = [action(heard), action({ episode: 'https://other.example/' })]
    expect(resumeOf(actions, URL, undefined)).toEqual({ position: 966, device: 'phone' })
  })

  test('at the position under another media URL', () => {
    const actions = [action({ episode: `${URL}?signed=1`, guid: 'fog-7', position: 30 })]
    expect(resumeOf(actions, URL, 'fog-7')?.position).toBe(30)
    expect(resumeOf(actions, URL, undefined)).toBeUndefined()
  })

  test('at its own position if another episode has the same media URL', () => {
    const actions = ['monday', 'tuesday'].map((guid, n) => action({ guid, position: 30 + n }))
    const found = ['monday', 'tuesday', 'wednesday'].map((guid) => resumeOf(actions, URL, guid)?.position)
    expect(found).toEqual([30, 31, undefined])
    expect(resumeOf(actions.slice(1), URL, 'known-by-another-guid')?.position).toBe(31)
  })

  test('at the beginning if it was finished, or marked as new', () => {
    for (const values of [{ position: 100, total: 100 }, { action: 'new' }, { position: 0, total: 100 }] as const)
      expect(resumeOf([action(values)], URL, undefined)).toBeUndefined()
  })
})

test('times are written in minutes and seconds, with hours if necessary', () => {
  expect([0, 59.9, 61, 3723].map(clock)).toEqual(['0:00', '0:59', '1:01', '1:02:03'])
})

test.each([
  [{ mediaType: 'video/mp4', url: 'https://a.example/x' }, true],
  [{ mediaType: '', url: 'https://a.example/x.MP4?a=1' }, true],
  [{ mediaType: 'audio/mp4', url: 'https://a.example/x.mp4' }, false],
  [{ url: 'no address' }, false],
])('%j is a video: %p', (episode, expected) => {
  expect(isVideo(episode)).toBe(expected)
})

test('the fastest and the slowest speed are the limits', () => {
  expect([speedNextTo(3, 1), speedNextTo(0.5, -1)]).toEqual([3, 0.5])
})

test('progress comes from the state that the server sends', () => {
  expect(progressOfItem({ state: 'new' })).toBeUndefined()
  expect(progressOfItem({ state: 'played' })).toMatchObject({ position: 0, isDone: true })
  const heard = { state: 'in_progress', position: 60, total: 100, device: 'phone' } as const
  expect(progressOfItem(heard)).toEqual({ position: 60, total: 100, isDone: false, device: 'phone' })
  expect(progressOfItem({ ...heard, position: 98 })?.isDone).toBe(false)
})

test('a position belongs to the last chapter that has started and not ended', () => {
  const chapters = [{ start: 5 }, { start: 10, end: 20 }, { start: 60 }]
  const positions = [4, 5, 10, 19, 20, 59, 60]
  const found = positions.map((position) => chapterAt(chapters, position)?.start)
  expect(found).toEqual([undefined, 5, 10, 10, 5, 5, 60])
})
