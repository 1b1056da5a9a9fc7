import { expect, test } from 'bun:test'
import { ApiError } from '../../../src/web/api/client.ts'
import { createOutbox } from '../../../src/web/store/playback/outbox.ts'
import type { Report } from '../../../src/web/store/playback/sitting.ts'

const PODCAST = 'https://feeds.tidewater.example/harbour.xml'
const EPISODE = 'https://cdn.tidewater.example/fog.mp3'

const report = (position: number): Report => ({
  podcast: PODCAST,
  episode: EPISODE,
  timestamp: `2026-11-21T12:00:${String(position % 60).padStart(2, '0')}`,
  started: position,
  position: position + 1,
})

function open() {
  const stored = new Map<string, string>()
  const sent: { reports: readonly Report[]; isLast: boolean }[] = []
  const state = { key: 'ida' as string | undefined, error: undefined as unknown, whileSending: () => {} }
  const make = () =>
    createOutbox({
      storage: {
        getItem: (name) => stored.get(name) ?? null,
        setItem: (name, text) => void stored.set(name, text),
        removeItem: (name) => void stored.delete(name),
      },
      key: () => state.key,
      async send(reports, isLast) {
        state.whileSending()
        if (state.error) throw state.error
        sent.push({ reports, isLast })
      },
    })
  return { stored, sent, state, make, outbox: make() }
}

test('reports that were sent are forgotten', async () => {
  const { outbox, sent, stored } = open()
  outbox.add(report(1))
  outbox.add(report(2))
  await outbox.flush()
  await outbox.flush()
  expect(sent).toEqual([{ reports: [report(1), report(2)], isLast: false }])
  expect(stored.size).toBe(0)
})

test('reports stay through errors and reloads, with their times', async () => {
  const { outbox, sent, state, make } = open()
  state.error = new ApiError(0, 'offline', '')
  outbox.add(report(1))
  await outbox.flush()
  state.error = undefined
  const next = make()
  expect(next.latest(PODCAST, EPISODE)).toEqual(report(1))
  await next.flush()
  expect(sent).toEqual([{ reports: [report(1)], isLast: false }])
  expect(next.latest(PODCAST, EPISODE)).toBeUndefined()
})

test('reports that the server refuses for good are not sent for ever', async () => {
  const { outbox, stored, state } = open()
  state.error = new ApiError(400, 'validation_failed', '')
  outbox.add(report(1))
  await outbox.flush()
  expect(stored.size).toBe(0)
})

test('what is reported while others are sent is sent as well, and nothing is lost', async () => {
  const { outbox, sent, state } = open()
  let count = 1
  state.whileSending = () => {
    if (count < 4) outbox.add(report(++count))
  }
  outbox.add(report(1))
  await Promise.all([outbox.flush(), outbox.flush()])
  expect(sent.flatMap(({ reports }) => reports)).toEqual([1, 2, 3, 4].map(report))
})

test('many are sent in several requests', async () => {
  const { outbox, sent } = open()
  for (let position = 0; position < 250; position++) outbox.add(report(position))
  await outbox.flush()
  expect(sent.map(({ reports }) => reports.length)).toEqual([100, 100, 50])
})

test('after signing out nothing is sent, and another user sends only own reports', async () => {
  const { outbox, sent, state } = open()
  outbox.add(report(1))
  state.key = undefined
  await outbox.flush()
  outbox.add(report(2))
  state.key = 'ole'
  await outbox.flush()
  expect(sent).toEqual([])
  state.key = 'ida'
  await outbox.flush()
  expect(sent).toEqual([{ reports: [report(1)], isLast: false }])
})

test('a change of users while reports are sent does not remove those of the next one', async () => {
  const { outbox, state, stored } = open()
  state.key = 'ole'
  outbox.add(report(1))
  state.key = 'ida'
  outbox.add(report(1))
  state.whileSending = () => {
    state.key = 'ole'
  }
  await outbox.flush()
  expect(new Set(stored.keys())).toEqual(new Set(['ida', 'ole']))
})

test('what is sent as the page goes stays stored until the server has answered a page', async () => {
  const { outbox, sent, state, stored } = open()
  outbox.flushLast()
  outbox.add(report(1))
  outbox.flushLast()
  state.error = new ApiError(0, 'offline', '')
  outbox.flushLast()
  await Promise.resolve()
  expect(sent).toEqual([{ reports: [report(1)], isLast: true }])
  expect(stored.size).toBe(1)
})

test('what is no list in the storage counts as nothing', async () => {
  const { outbox, stored, sent } = open()
  for (const text of ['{', '{}']) {
    stored.set('ida', text)
    await outbox.flush()
  }
  expect(sent).toEqual([])
})
