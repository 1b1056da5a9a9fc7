import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createSitting, type Report } from '../../../src/web/store/playback/sitting.ts'

const EPISODE = {
  podcast: 'https://feeds.tidewater.example/harbour.xml',
  episode: 'https://cdn.tidewater.example/fog.mp3',
}
const START = Date.UTC(2026, 10, 21, 12)

/** A sitting of an episode of 20 minutes, and a clock controlled by the test. */
function begin(total = 1200) {
  const reports: Report[] = []
  const drafts: (Report | undefined)[] = []
  let time = START
  const sitting = createSitting({
    ...EPISODE,
    now: () => time,
    record: (report) => reports.push(report),
    keep: (draft) => drafts.push(draft),
  })
  sitting.setTotal(total)
  return {
    sitting,
    reports,
    drafts,
    wait: (seconds: number) => {
      time += seconds * 1000
    },
    /** Plays for some seconds, with four updates a second like a browser. */
    listen(from: number, seconds: number, speed = 1): number {
      for (let passed = 0; passed < seconds; passed += 0.25) {
        time += 250
        sitting.progress(from + (passed + 0.25) * speed)
      }
      return from + seconds * speed
    },
    heard: () => reports.reduce((sum, { started, position }) => sum + position - started, 0),
    /** The played parts: `0-10 360-362`. */
    spans: () => reports.map(({ started, position }) => `${started}-${position}`).join(' '),
  }
}

describe('a sitting', () => {
  test('is reported every 45 seconds, and when it is paused', () => {
    const { sitting, listen, spans, reports } = begin()
    sitting.play(100)
    listen(100, 100)
    sitting.pause()
    expect(spans()).toBe('100-145 145-190 190-200')
    expect(reports[0]).toEqual({
      ...EPISODE,
      timestamp: '2026-11-21T12:00:45',
      started: 100,
      position: 145,
      total: 1200,
    })
  })

  test('is not reported if nothing was played', () => {
    const { sitting, wait, reports } = begin()
    sitting.play(10)
    sitting.pause()
    wait(100)
    sitting.progress(30)
    sitting.pause()
    expect(reports).toEqual([])
  })

  test('counts seconds of the episode at any speed, without skipped parts', () => {
    const { sitting, listen, spans } = begin()
    sitting.play(0)
    listen(0, 20, 2)
    sitting.seek(600)
    listen(600, 20)
    sitting.pause()
    expect(spans()).toBe('0-40 600-620')
  })

  test('reports a new position after seeking, while paused and while playing', () => {
    const { sitting, listen, spans } = begin()
    sitting.seek(300)
    sitting.settle()
    sitting.settle()
    sitting.play(300)
    sitting.seek(400)
    listen(400, 1.5)
    sitting.settle()
    listen(401.5, 10)
    sitting.pause()
    expect(spans()).toBe('300-300 400-401 401-411')
  })

  test('ends where the episode ends', () => {
    const { sitting, listen, spans } = begin(1200.7)
    sitting.play(1190)
    listen(1190, 10.5)
    sitting.finish()
    expect(spans()).toBe('1190-1200')
  })

  test('stores a draft of the next report every five seconds', () => {
    const { sitting, listen, drafts, reports } = begin()
    sitting.play(100)
    listen(100, 44)
    expect(drafts.map((draft) => draft && [draft.started, draft.position])).toEqual(
      [105, 110, 115, 120, 125, 130, 135, 140].map((position) => [100, position]),
    )
    expect(drafts.at(-1)?.timestamp).toBe('2026-11-21T12:00:40')
    expect(reports).toEqual([])
    listen(144, 2)
    expect([reports.length, drafts.at(-1)]).toEqual([1, undefined])
    sitting.pause()
    expect(drafts).toHaveLength(9)
  })

  test('keeps reporting with increasing times when the clock is set', () => {
    const { sitting, listen, wait, reports } = begin()
    sitting.play(0)
    listen(0, 50)
    wait(-3600)
    listen(50, 100)
    wait(86_400)
    listen(150, 50)
    sitting.pause()
    const times = reports.map(({ timestamp }) => Date.parse(timestamp))
    expect(reports.length).toBeGreaterThanOrEqual(6)
    expect(times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))).toBe(true)
    expect(reports.every(({ started }, index) => started === (reports[index - 1]?.position ?? 0))).toBe(true)
  })

  test('reports nothing while it is held, and the rest afterwards', () => {
    const { sitting, listen, reports, drafts, spans } = begin()
    sitting.hold(true)
    sitting.play(0)
    listen(0, 60)
    sitting.settle()
    sitting.finish()
    expect([reports, drafts]).toEqual([[], []])
    sitting.hold(false)
    listen(60, 1)
    expect(spans()).toBe('0-60')
  })

  test('reports the guid, but no unknown duration', () => {
    const reports: Report[] = []
    const record = (report: Report) => reports.push(report)
    const sitting = createSitting({ ...EPISODE, guid: 'fog-7', now: () => START, record, keep: () => undefined })
    sitting.setTotal(Number.POSITIVE_INFINITY)
    sitting.finish()
    sitting.play(0)
    sitting.progress(5)
    sitting.finish()
    expect(reports).toEqual([{ ...EPISODE, guid: 'fog-7', timestamp: '2026-11-21T12:00:00', started: 0, position: 5 }])
  })
})

type Step = readonly [kind: 'play' | 'pause' | 'listen' | 'seek' | 'settle' | 'wait', amount: number]

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('play', 'pause', 'listen', 'seek', 'settle', 'wait'),
  fc.integer({ min: 0, max: 300 }),
)

test('reports add up to the time played, with increasing times, after any actions', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { sitting, reports, listen, wait, heard } = begin(100_000)
      let at = 0
      let isPlaying = false
      let expected = 0
      /** Each stop may lose a part of a second. */
      let stops = 1
      for (const [kind, amount] of steps) {
        if (kind === 'play') {
          sitting.play(at)
          isPlaying = true
        } else if (kind === 'pause') {
          sitting.pause()
          isPlaying = false
          stops++
        } else if (kind === 'listen' && isPlaying) {
          at = listen(at, amount)
          expected += amount
        } else if (kind === 'seek') {
          at = amount * 7
          sitting.seek(at)
          stops++
        } else if (kind === 'settle') sitting.settle()
        else wait(amount)
      }
      sitting.pause()
      expect(Math.abs(heard() - expected)).toBeLessThanOrEqual(stops)
      const times = reports.map(({ timestamp }) => Date.parse(timestamp))
      expect(times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))).toBe(true)
      expect(reports.every(({ started, position }) => started <= position)).toBe(true)
    }),
  )
})
