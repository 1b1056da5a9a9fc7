import { expect, test } from 'bun:test'
import { ApiError } from '../../../src/web/api/client.ts'
import { createOutbox } from '../../../src/web/store/playback/outbox.ts'
import type { Report } from '../../../src/web/store/playback/sitting.ts'
import { memoryStorage } from '../support/storage.ts'

const PODCAST = 'https://feeds.tidewater.example/harbour.xml'
const EPISODE = 'https://cdn.tidewater.example/fog.mp3'

const report = (position: number): Report => ({
  podcast: PODCAST,
  episode: EPISODE,
  timestamp: `2026-11-21T12:00:${String(position % 60).padStart(2, '0')}`,
  started: position,
  position: position + 1,
})

/** The time of the first report. */
const START = Date.UTC(2026, 10, 21, 12)

function open() {
  const stored = new Map<string, string>()
  const sent: { account: string; reports: readonly Report[]; isLast: boolean }[] = []
  const rejected: Report[] = []
  const state = {
    account: 'ida' as string | undefined,
    error: undefined as unknown,
    now: START,
    whileSending: () => {},
    /** How the server rejects a report: alone, or the whole request. */
    refuses: (_: Report): 'request' | 'report' | undefined => undefined,
  }
  const make = (tab = 'one') =>
    createOutbox({
      storage: memoryStorage(stored),
      account: () => state.account,
      prefixOf: (account) => `reports.${account}`,
      async send(account, reports, isLast) {
        state.whileSending()
        if (state.error) throw state.error
        if (reports.some((each) => state.refuses(each) === 'request')) throw new ApiError(400, 'validation_failed', '')
        sent.push({ account, reports, isLast })
        return reports.filter((each) => state.refuses(each) === 'report')
      },
      onRefused: (reports) => rejected.push(...reports),
      now: () => state.now,
      tab,
    })
  return { stored, sent, rejected, state, make, outbox: make() }
}

test('reports survive errors and reloads, with their times', async () => {
  const { outbox, sent, state, make } = open()
  state.error = new ApiError(0, 'offline', '')
  outbox.add(report(1))
  await outbox.flush()
  state.error = undefined
  const next = make()
  expect(next.latest(PODCAST, EPISODE)).toEqual(report(1))
  await next.flush()
  expect(sent).toEqual([{ account: 'ida', reports: [report(1)], isLast: false }])
  expect(next.latest(PODCAST, EPISODE)).toBeUndefined()
})

test.each(['request', 'report'] as const)(
  'a report that the server rejects, as a %s, is dropped and announced without delaying others',
  async (what) => {
    const { outbox, stored, sent, rejected, state } = open()
    const all = Array.from({ length: 50 }, (_, position) => report(position))
    for (const each of all) outbox.add(each)
    const isBad = ({ position }: Report) => position === 8 || position === 33
    state.refuses = (each) => (isBad(each) ? what : undefined)
    await outbox.flush()
    expect(rejected).toEqual(all.filter(isBad))
    const taken = sent.flatMap(({ reports }) => reports)
    expect(taken.filter((each) => !isBad(each))).toEqual(all.filter((each) => !isBad(each)))
    expect(stored.size).toBe(0)
  },
)

test('requests are shortened for a proxy that rejects long ones', async () => {
  const { outbox, sent, rejected, state } = open()
  for (const position of [1, 2, 3, 4]) outbox.add(report(position))
  let attempts = 0
  state.whileSending = () => {
    state.error = attempts++ === 0 ? new ApiError(413, 'unknown', '') : undefined
  }
  await outbox.flush()
  expect(sent.map(({ reports }) => reports.length)).toEqual([2, 2])
  expect(rejected).toEqual([])
})

test('unsent reports of a closed tab are sent by the next one', async () => {
  const { stored, sent, state, make } = open()
  const gone = make('gone')
  gone.keep(report(5))
  gone.keep(report(10))
  const next = make('next')
  // The tab may still be open.
  expect(next.latest(PODCAST, EPISODE)).toEqual(report(10))
  await next.flush()
  expect(sent).toEqual([])
  state.now = START + 31_000
  await next.flush()
  expect(sent.flatMap(({ reports }) => reports)).toEqual([report(10)])
  expect(stored.size).toBe(0)
})

test('signing out sends the unsent reports of all tabs', async () => {
  const { stored, sent, make } = open()
  const [one, two] = [make('one'), make('two')]
  two.keep(report(10))
  one.add(report(5))
  expect(await one.finish()).toBe(true)
  expect(sent.flatMap(({ reports }) => reports)).toEqual([report(5), report(10)])
  expect(stored.size).toBe(0)
})

test.each<[string, unknown]>([
  ['the server cannot be reached', new ApiError(0, 'offline', '')],
  ['the server is busy', new ApiError(503, 'unavailable', '')],
  ['there is no device', new Error('there is no device')],
])('the user learns that not all was sent when %s', async (_why, error) => {
  const { outbox, stored, state, rejected } = open()
  outbox.add(report(5))
  state.error = error
  expect(await outbox.finish()).toBe(false)
  expect(stored.size).toBe(1)
  state.error = undefined
  // Reports that the server refuses for good do not prevent signing out.
  state.refuses = () => 'report'
  expect(await outbox.finish()).toBe(true)
  expect(rejected).toEqual([report(5)])
})

test('a draft is not reported by its own tab, and is replaced by its report', async () => {
  const { outbox, stored, sent, state } = open()
  outbox.keep(report(5))
  state.now = START + 3_600_000
  await outbox.flush()
  expect(sent).toEqual([])
  outbox.keep(undefined)
  expect(stored.size).toBe(0)
})

test('tabs that report at the same time do not overwrite each other', async () => {
  const { sent, make } = open()
  const [one, two] = [make('one'), make('two')]
  one.add(report(1))
  two.add(report(2))
  one.add(report(3))
  await Promise.all([one.flush(), two.flush()])
  const positions = new Set(sent.flatMap(({ reports }) => reports.map(({ started }) => started)))
  expect(positions).toEqual(new Set([1, 2, 3]))
})

test('reports of another user are sent after the request of the previous one', async () => {
  const { outbox, sent, state } = open()
  outbox.add(report(1))
  let hasChanged = false
  state.whileSending = () => {
    if (hasChanged) return
    hasChanged = true
    state.account = 'ole'
    outbox.add(report(2))
    void outbox.flush()
  }
  await outbox.flush()
  await outbox.flush()
  const byAccount = Object.fromEntries(sent.map(({ account, reports }) => [account, reports]))
  expect(byAccount).toEqual({ ida: [report(1)], ole: [report(2)] })
})

test('a closing page sends no more than browsers allow', () => {
  const { outbox, sent } = open()
  const guid = 'g'.repeat(2000)
  for (let position = 0; position < 90; position++)
    outbox.add({ ...report(position), timestamp: `2026-11-21T12:${String(position).padStart(4, '0')}`, guid })
  outbox.flushLast()
  const [last] = sent
  expect(JSON.stringify(last?.reports).length).toBeLessThan(60_000)
  expect(last?.reports.at(-1)?.started).toBe(89)
})

test('only the latest 2,000 reports are kept', async () => {
  const { outbox, stored } = open()
  for (let second = 0; second < 2003; second++)
    outbox.add({ ...report(1), timestamp: new Date(START + second * 1000).toISOString().slice(0, 19) })
  expect(stored.size).toBe(2000)
  expect(outbox.latest(PODCAST, EPISODE)?.timestamp).toBe('2026-11-21T12:33:22')
})

test('reports added during a request are sent as well', async () => {
  const { outbox, sent, state } = open()
  let count = 1
  state.whileSending = () => {
    if (count < 4) outbox.add(report(++count))
  }
  outbox.add(report(1))
  await Promise.all([outbox.flush(), outbox.flush()])
  expect(sent.flatMap(({ reports }) => reports)).toEqual([1, 2, 3, 4].map(report))
})

test('250 reports take three requests', async () => {
  const { outbox, sent, stored } = open()
  for (let position = 0; position < 250; position++) outbox.add(report(position))
  for (let n = 0; n < 2; n++) await outbox.flush()
  expect(sent.map(({ reports }) => reports.length)).toEqual([100, 100, 50])
  expect(stored.size).toBe(0)
})

test('reports are sent only for their own user, while signed in', async () => {
  const { outbox, sent, state } = open()
  outbox.add(report(1))
  state.account = undefined
  await outbox.flush()
  outbox.add(report(2))
  state.account = 'ole'
  await outbox.flush()
  expect(sent).toEqual([])
  state.account = 'ida'
  await outbox.flush()
  expect(sent).toEqual([{ account: 'ida', reports: [report(1)], isLast: false }])
})

test('a change of users during a request keeps the reports of the next user', async () => {
  const { outbox, state, stored } = open()
  state.account = 'ole'
  outbox.add(report(1))
  state.account = 'ida'
  outbox.add(report(1))
  state.whileSending = () => {
    state.account = 'ole'
  }
  await outbox.flush()
  expect([...stored.keys()].map((key) => key.split(' ')[0])).toEqual(['reports.ole'])
})

test('reports sent by a closing page stay stored until the server has responded to a page', async () => {
  const { outbox, sent, state, stored } = open()
  outbox.flushLast()
  outbox.add(report(1))
  outbox.flushLast()
  state.error = new ApiError(0, 'offline', '')
  outbox.flushLast()
  await Promise.resolve()
  expect(sent).toEqual([{ account: 'ida', reports: [report(1)], isLast: true }])
  expect(stored.size).toBe(1)
})

test('invalid entries are removed', async () => {
  const { outbox, stored, sent } = open()
  stored.set('reports.ida at ', '{')
  await outbox.flush()
  expect(sent).toEqual([])
  expect(stored.size).toBe(0)
})
