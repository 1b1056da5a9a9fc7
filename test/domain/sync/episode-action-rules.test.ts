import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createActionPlanner, isFinished, isRepeatedFinish } from '../../../src/domain/sync/episode-actions.ts'

const NOW = 1_740_909_600
const PODCAST = 'https://feeds.tidewater.example/harbour.xml'
const EPISODE = 'https://cdn.tidewater.example/fog.mp3'

const download = { podcast: PODCAST, episode: EPISODE, action: 'download' } as const
const play = { ...download, action: 'play' } as const

/** Plans an upload in one piece. */
function planActions(items: readonly unknown[], now: number) {
  const planner = createActionPlanner(now)
  const actions = planner.read(items)
  return { actions, ...planner.finish() }
}

/** The only action that results from one item. */
function planOne(item: unknown) {
  const plan = planActions([item], NOW)
  expect(plan.rejected).toEqual([])
  expect(plan.actions).toHaveLength(1)
  return plan.actions[0]
}

describe('an uploaded action', () => {
  test('is read with all its keys; unknown ones are ignored', () => {
    const numbers = { started: 0, position: 61, total: 1800 }
    const item = { ...play, guid: 'fog-7', device: 'ida-pixel', timestamp: '2025-03-02T10:00:00', ...numbers }
    const { action: kind, timestamp: _at, ...said } = item
    expect(planActions([{ ...item, mood: 'fine' }], 1)).toEqual({
      actions: [{ ...said, kind, at: NOW }],
      updateUrls: [],
      rejected: [],
      devices: ['ida-pixel'],
    })
  })

  test.each(['download', 'PLAY', 'Delete', 'new', 'FLATTR'])('of kind %s is stored in lower case', (action) => {
    expect(planOne({ ...download, action })).toMatchObject({ kind: action.toLowerCase() })
  })

  test('has no device if that is empty, and no guid if that is unusable', () => {
    for (const device of [null, '']) expect(planOne({ ...download, device })?.device).toBeUndefined()
    for (const guid of [null, '', 7, {}, 'g'.repeat(2049)]) expect(planOne({ ...download, guid })?.guid).toBeUndefined()
  })
})

describe('seconds of a play (D43)', () => {
  test.each([
    [61, [61, 61.9, '61', ' 61.9 ', '01:01', '00:01:01']],
    [0, [0, -0]],
    [3723, ['01:02:03', '62:03']],
    [Number.MAX_SAFE_INTEGER, [Number.MAX_SAFE_INTEGER]],
    [undefined, [-1, -0.5, '-1', '', null, undefined]],
  ])('are %p', (seconds, positions) => {
    for (const position of positions)
      expect([position, planOne({ ...play, position })?.position]).toEqual([position, seconds])
  })

  test.each([
    ...[
      '%p are invalid',
      '1e3',
      '0x10',
      '1:2:3:4',
      '61 s',
      true,
      {},
      [[61]],
      Number.MAX_VALUE,
      Number.POSITIVE_INFINITY,
    ],
    '9'.repeat(400),
  ])('%p are a fault', (position) => {
    const bad = { index: 1, error: 'validation_failed' }
    expect(planActions([download, { ...play, position }], NOW).rejected).toMatchObject([bad])
    expect(planActions([download, { ...play, total: position }], NOW).rejected).toMatchObject([bad])
  })

  test('are dropped for other kinds, even if they are invalid', () => {
    const { action: kind, ...said } = download
    expect(planOne({ ...download, started: 0, position: 61, total: 'long' })).toEqual({ ...said, kind, at: NOW })
  })

  test.each([undefined, null, -1])('started and total are dropped with position %j, the action is kept', (position) => {
    const action = planOne({ ...play, started: 5, position, total: 1800 })
    expect(action).toMatchObject({ kind: 'play' })
    expect([action?.started, action?.position, action?.total]).toEqual([undefined, undefined, undefined])
  })
})

test.each([
  ['after the position', 62, 61, 1800, 61],
  ['a Unix time', NOW, 61, undefined, 61],
  ['after the end of the episode', 70, 100, 60, 100],
  ['at the position', 61, 61, 1800, 61],
  ['before it', 60, 61, 1800, 60],
  ['unknown', undefined, 61, 1800, undefined],
  ['unknown, as AntennaPod writes it', -1, 61, 1800, undefined],
])('a start that cannot be true (D87) becomes the position: %s', (_case, started, position, total, stored) => {
  const action = planOne({ ...play, started, position, total })
  expect([action?.started, action?.position, action?.total]).toEqual([stored, position, total])
})

describe('a repeated "finished" (D86)', () => {
  const mark = { kind: 'play', started: 60, position: 60, total: 60 } as const
  const yes = () => true
  const no = () => false

  test.each([
    ['a mark of a finished episode', mark, true, no, true],
    ['a mark of an episode that the device has finished before', mark, false, yes, true],
    ['a mark', mark, false, no, false],
    ['the end without a start, of a finished episode', { ...mark, started: undefined }, true, no, true],
    ['the end without a start, of a restarted episode', { ...mark, started: undefined }, false, yes, false],
    ['a play to the end', { ...mark, started: 50 }, true, yes, false],
    ['a position', { ...mark, started: 5, position: 5 }, true, yes, false],
    ['a position after the end', { ...mark, started: 61, position: 61 }, true, yes, false],
    ['zero of zero, of a finished episode', { ...mark, started: 0, position: 0, total: 0 }, true, no, true],
    ['0 of 0 without a start, finished', { ...mark, started: undefined, position: 0, total: 0 }, true, no, true],
    ['0 of 0, finished before by the device', { ...mark, started: 0, position: 0, total: 0 }, false, yes, true],
    ['zero of zero', { ...mark, started: 0, position: 0, total: 0 }, false, no, false],
    ['the start', { ...mark, started: 0, position: 0 }, true, yes, false],
    ['a play without numbers', { kind: 'play' } as const, true, yes, false],
    ['a new episode', { kind: 'new' } as const, true, yes, false],
  ])('%s', (_case, action, isStateFinished, wasLastFinished, isRepeat) => {
    expect(isRepeatedFinish(action, isStateFinished, wasLastFinished)).toBe(isRepeat)
  })

  test('a device is looked up only if that decides', () => {
    const fail = () => {
      throw new Error('looked up')
    }
    for (const fields of [{ started: 0 }, { position: 59 }, { started: undefined }])
      expect(isRepeatedFinish({ ...mark, ...fields }, false, fail)).toBe(false)
    expect(isRepeatedFinish(mark, true, fail)).toBe(true)
  })

  test('finished means a play at the end of an episode with a length', () => {
    const unfinished = [{ ...mark, position: 59 }, { ...mark, total: 0 }, { kind: 'new' } as const]
    expect([mark, { ...mark, position: 61 }].every(isFinished)).toBe(true)
    expect(unfinished.filter(isFinished)).toEqual([])
  })
})

describe('a list of actions', () => {
  test('may be empty', () => {
    expect(planActions([], NOW)).toMatchObject({ actions: [], updateUrls: [], rejected: [] })
  })

  test.each([
    ...['play', null, [[play]]],
    ...[undefined, 'listen', 1, 'constructor'].map((action) => ({ ...play, action })),
    ...['my phone', 7].map((device) => ({ ...play, device })),
    ...[{ timestamp: 'yesterday' }, { position: 'soon' }].map((bad) => ({ ...play, ...bad })),
  ])('leaves out %j and stores the rest', (bad) => {
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
  ])('skips an item %s without an error', (_what, item, updateUrls) => {
    expect(planActions([item], NOW)).toMatchObject({ actions: [], updateUrls, rejected: [] })
  })

  test('reports each rewritten URL once, and none of a malformed item', () => {
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

  test('with any content is planned or refused', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.integer(),
      fc.double(),
      fc.constantFrom('play', 'NEW', '00:10', '-1', EPISODE, null),
    )
    const keys = 'podcast episode action timestamp device guid started position total'.split(' ')
    const item = fc.record(Object.fromEntries(keys.map((key) => [key, odd])), { requiredKeys: [] })
    fc.assert(
      fc.property(fc.array(fc.oneof(item, fc.jsonValue())), (items) => {
        const plan = planActions([...items, play], NOW)
        expect(plan.actions.length + plan.rejected.length).toBeLessThanOrEqual(items.length + 1)
        // Nothing that a strict client rejects: no null, no -1, no -0, no numbers without a play and position.
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
