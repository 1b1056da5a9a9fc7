import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createActionPlanner } from '../../../src/domain/sync/episode-actions.ts'

const NOW = 1_740_909_600
const PODCAST = 'https://feeds.tidewater.example/harbour.xml'
const EPISODE = 'https://cdn.tidewater.example/fog.mp3'

const download = { podcast: PODCAST, episode: EPISODE, action: 'download' }
const play = { podcast: PODCAST, episode: EPISODE, action: 'play' }

/** What comes of an upload in one piece. */
function planActions(items: readonly unknown[], now: number) {
  const planner = createActionPlanner(now)
  planner.add(items)
  return planner.finish()
}

/** The one action that comes of one item. */
function planOne(item: unknown) {
  const plan = planActions([item], NOW)
  expect(plan.rejected).toEqual([])
  expect(plan.actions).toHaveLength(1)
  return plan.actions[0]
}

describe('an uploaded action', () => {
  test('is read with all its keys; unknown ones are ignored', () => {
    const item = {
      ...play,
      guid: 'fog-7',
      device: 'ida-pixel',
      timestamp: '2025-03-02T10:00:00',
      started: 0,
      position: 61,
      total: 1800,
      mood: 'fine',
    }
    expect(planActions([item], 1)).toEqual({
      actions: [
        {
          podcast: PODCAST,
          episode: EPISODE,
          kind: 'play',
          at: NOW,
          device: 'ida-pixel',
          guid: 'fog-7',
          started: 0,
          position: 61,
          total: 1800,
        },
      ],
      updateUrls: [],
      rejected: [],
    })
  })

  test.each([
    ['download', 'download'],
    ['PLAY', 'play'],
    ['Delete', 'delete'],
    ['new', 'new'],
    ['FLATTR', 'flattr'],
  ])('of kind %s is stored as %s', (action, kind) => {
    expect(planOne({ ...download, action })).toMatchObject({ kind })
  })

  test.each([null, ''])('with device %j is of no known device', (device) => {
    expect(planOne({ ...download, device })?.device).toBeUndefined()
  })

  test.each([null, '', 7, {}, 'g'.repeat(2049)])('with an unusable guid is kept without it', (guid) => {
    expect(planOne({ ...download, guid })?.guid).toBeUndefined()
  })
})

describe('seconds of a play (D43)', () => {
  test.each([
    [61, 61],
    [0, 0],
    [-0, 0],
    [61.9, 61],
    ['61', 61],
    [' 61.9 ', 61],
    ['01:02', 62],
    ['01:02:03', 3723],
    ['90:00', 5400],
    [-1, undefined],
    [-0.5, undefined],
    ['-1', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('%j are %p', (position, seconds) => {
    expect(planOne({ ...play, position })?.position).toBe(seconds)
  })

  test.each([
    'soon',
    '1e3',
    '0x10',
    '1:2:3:4',
    '61 s',
    true,
    {},
    [[61]],
    Number.MAX_VALUE,
    Number.POSITIVE_INFINITY,
    '9'.repeat(400),
  ])('%p are a fault', (position) => {
    expect(planActions([download, { ...play, position }], NOW).rejected).toMatchObject([
      { index: 1, error: 'validation_failed' },
    ])
    expect(planActions([download, { ...play, total: position }], NOW).rejected).toHaveLength(1)
  })

  test('are dropped for other kinds, whatever they are', () => {
    expect(planOne({ ...download, started: 0, position: 61, total: 'long' })).toEqual({
      podcast: PODCAST,
      episode: EPISODE,
      kind: 'download',
      at: NOW,
    })
  })

  test.each([undefined, null, -1])('started and total are dropped with position %j, the action is kept', (position) => {
    const action = planOne({ ...play, started: 5, position, total: 1800 })
    expect(action).toMatchObject({ kind: 'play' })
    expect([action?.started, action?.position, action?.total]).toEqual([undefined, undefined, undefined])
  })
})

describe('a list of actions', () => {
  test('may be empty', () => {
    expect(planActions([], NOW)).toEqual({ actions: [], updateUrls: [], rejected: [] })
  })

  test.each([
    ['text', 'play'],
    ['null', null],
    ['a list', [play]],
    ['no action', { ...play, action: undefined }],
    ['an unknown action', { ...play, action: 'listen' }],
    ['an action that is no text', { ...play, action: 1 }],
    ['the name of an inherited property', { ...play, action: 'constructor' }],
    ['a bad device', { ...play, device: 'my phone' }],
    ['a device that is no text', { ...play, device: 7 }],
    ['a bad timestamp', { ...play, timestamp: 'yesterday' }],
    ['a bad number', { ...play, position: 'soon' }],
  ])('leaves out an item that is or has %s, and stores the rest', (_what, bad) => {
    const plan = planActions([download, bad, play], NOW)
    expect(plan.actions.map((action) => action.kind)).toEqual(['download', 'play'])
    expect(plan.rejected).toEqual([{ index: 1, error: 'validation_failed', message: expect.stringMatching(/./) }])
    expect(() => planActions([bad, bad], NOW)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })

  test.each<[string, unknown, [string, string][]]>([
    ['without episode', { ...play, episode: undefined }, []],
    ['with an empty podcast', { ...play, podcast: '' }, []],
    ['with a podcast that is no text', { ...play, podcast: 7 }, []],
    ['with a rejected episode', { ...play, episode: 'content://media/1' }, [['content://media/1', '']]],
  ])('skips an item %s, which is no fault', (_what, item, updateUrls) => {
    expect(planActions([item], NOW)).toEqual({ actions: [], updateUrls, rejected: [] })
  })

  test('reports each rewritten URL once, but none of a malformed item', () => {
    const item = { ...play, podcast: 'http://Tidewater.example', episode: 'http://tidewater.example/øre' }
    const plan = planActions([{ ...item, podcast: 'http://Elsewhere.example', action: 'listen' }, item, item], NOW)
    expect(plan.actions).toHaveLength(2)
    expect(plan.updateUrls).toEqual([
      ['http://Tidewater.example', 'http://tidewater.example/'],
      ['http://tidewater.example/øre', 'http://tidewater.example/%C3%B8re'],
    ])
  })

  test('counts every malformed item, but names only the first 1000', () => {
    const scraps = Array.from({ length: 5000 }, () => 0)
    const plan = planActions([...scraps, play], NOW)
    expect(plan.actions).toHaveLength(1)
    expect(plan.rejected).toHaveLength(1000)
    expect(() => planActions(scraps, NOW)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })

  test('of anything at all is either planned or refused', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.integer(),
      fc.double(),
      fc.constantFrom('play', 'NEW', '00:10', '-1', EPISODE, null),
    )
    const item = fc.record(
      {
        podcast: odd,
        episode: odd,
        action: odd,
        timestamp: odd,
        device: odd,
        guid: odd,
        started: odd,
        position: odd,
        total: odd,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(item, fc.jsonValue())), (items) => {
        const plan = planActions([...items, play], NOW)
        expect(plan.actions.length + plan.rejected.length).toBeLessThanOrEqual(items.length + 1)
        // Nothing that a strict client trips over: no null, no -1, no -0, no numbers beside a play with position.
        for (const action of plan.actions) {
          const numbers = [action.started, action.position, action.total].filter((value) => value !== undefined)
          expect(numbers.every((value) => Number.isSafeInteger(value) && Object.is(Math.abs(value), value))).toBe(true)
          if (action.kind !== 'play' || action.position === undefined) expect(numbers).toEqual([])
        }
      }),
      { numRuns: 500 },
    )
  })
})
