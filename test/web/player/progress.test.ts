import { describe, expect, test } from 'bun:test'
import { isVideo } from '../../../src/web/store/playback/playable.ts'
import {
  type Action,
  chapterAt,
  clock,
  heardOf,
  progressOf,
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
    ['of the same time, the later one of the list', [{ position: 5 }, { position: 9 }], 9],
    ['a download changes nothing', [{ position: 5 }, { action: 'download', timestamp: '2026-11-22T12:00:00' }], 5],
    ['a mark as new takes it back', [{ position: 5 }, { action: 'new', timestamp: '2026-11-22T12:00:00' }], undefined],
  ] as const)('%s', (_, actions, position) => {
    expect(progressOf(actions.map(action)).get(URL)?.position).toBe(position)
  })

  test.each([
    [{ position: 100, total: 100 }, true],
    // The server counts it as unplayed, and so do all pages.
    [{ position: 99, total: 100 }, false],
    [{ position: 96 }, false],
    [{}, true],
  ] as const)('%j is finished: %p', (values, isDone) => {
    expect(progressOf([action(values)]).get(URL)?.isDone).toBe(isDone)
  })
})

describe('an episode goes on', () => {
  test('where the last device has stopped', () => {
    const actions = [
      action({ position: 966, total: 1224, device: 'phone' }),
      action({ episode: 'https://other.example/' }),
    ]
    expect(resumeOf(actions, URL, undefined)).toEqual({ position: 966, device: 'phone' })
  })

  test('where it was heard under another address', () => {
    const actions = [action({ episode: `${URL}?signed=1`, guid: 'fog-7', position: 30 })]
    expect(resumeOf(actions, URL, 'fog-7')?.position).toBe(30)
    expect(resumeOf(actions, URL, undefined)).toBeUndefined()
  })

  test('where it was heard itself, if its address was that of another episode', () => {
    const actions = ['monday', 'tuesday'].map((guid, n) => action({ guid, position: 30 + n }))
    expect(['monday', 'tuesday', 'wednesday'].map((guid) => resumeOf(actions, URL, guid)?.position)).toEqual([
      30,
      31,
      undefined,
    ])
    expect(resumeOf(actions.slice(1), URL, 'known-by-another-guid')?.position).toBe(31)
  })

  test('at the beginning if it was finished, or marked as new', () => {
    expect(resumeOf([action({ position: 100, total: 100 })], URL, undefined)).toBeUndefined()
    expect(resumeOf([action({ action: 'new' })], URL, undefined)).toBeUndefined()
    expect(resumeOf([action({ position: 0, total: 100 })], URL, undefined)).toBeUndefined()
  })
})

test('times are written as people read them', () => {
  expect([0, 59.9, 61, 3723].map(clock)).toEqual(['0:00', '0:59', '1:01', '1:02:03'])
})

test('videos are known by their type, or by their address', () => {
  const known = [
    { mediaType: 'video/mp4', url: 'https://a.example/x' },
    { mediaType: '', url: 'https://a.example/x.MP4?a=1' },
    { url: 'https://a.example/x.m4v' },
  ]
  expect(known.map(isVideo)).toEqual([true, true, true])
  expect(isVideo({ mediaType: 'audio/mp4', url: 'https://a.example/x.mp4' })).toBe(false)
  expect(isVideo({ url: 'no address' })).toBe(false)
})

test('speeds go up and down in steps', () => {
  expect([speedNextTo(1, 1), speedNextTo(1, -1), speedNextTo(3, 1), speedNextTo(0.5, -1)]).toEqual([1.1, 0.8, 3, 0.5])
})

test('what the server says of an episode', () => {
  expect(heardOf({ state: 'new' })).toBeUndefined()
  expect(heardOf({ state: 'played' })).toMatchObject({ position: 0, isDone: true })
  const heard = { state: 'in_progress', position: 60, total: 100, device: 'phone' } as const
  expect(heardOf(heard)).toEqual({ position: 60, total: 100, isDone: false, device: 'phone' })
  expect(heardOf({ ...heard, position: 98 })?.isDone).toBe(false)
})

test('the chapter of a position is the last one that has begun', () => {
  const chapters = [{ start: 10 }, { start: 60 }]
  expect([9, 10, 59, 60].map((position) => chapterAt(chapters, position)?.start)).toEqual([undefined, 10, 10, 60])
})

test('a part that the user has marked ends, and the chapter around it goes on', () => {
  const chapters = [{ start: 0 }, { start: 10, end: 20 }]
  expect([9, 10, 19, 20].map((position) => chapterAt(chapters, position)?.start)).toEqual([0, 10, 10, 0])
})
