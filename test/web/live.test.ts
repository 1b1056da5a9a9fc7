import { expect, test } from 'bun:test'
import {
  createLive,
  type Hint,
  type LiveParts,
  listenToHints,
  notifyListeners,
  type StreamEvents,
  type TabMessage,
} from '../../src/web/store/live/live.ts'
import { FakeTimer } from '../support/clock.ts'

/** Tabs of one browser, a server that they reach by streams, and a clock; all in the hands of the test. */
function openBrowser({ isShared = true } = {}) {
  const timer = new FakeTimer()
  const waiting: (() => void)[] = []
  const tabs: { hear(message: TabMessage): void }[] = []
  const streams: StreamEvents[] = []
  const server = { checks: 0 }

  /** By a lock that one tab has at a time; alone, each tab leads itself. */
  function lead(begin: () => void): () => void {
    if (!isShared) {
      begin()
      return () => undefined
    }
    waiting.push(begin)
    if (waiting.length === 1) begin()
    return () => {
      const isFirst = waiting[0] === begin
      waiting.splice(waiting.indexOf(begin), 1)
      if (isFirst) waiting[0]?.()
    }
  }

  function openTab() {
    const told: Hint['topic'][] = []
    const parts: LiveParts = {
      openStream(events) {
        streams.push(events)
        return () => void streams.splice(streams.indexOf(events), 1)
      },
      async checkSession() {
        server.checks++
      },
      lead,
      isShared,
      broadcast(message) {
        for (const tab of tabs) if (tab !== live) tab.hear(message)
      },
      later: timer.start,
    }
    const live = createLive(parts, ({ topic }) => told.push(topic))
    tabs.push(live)
    live.start()
    return { told, ...live }
  }

  /** The server says something on the only stream there is. */
  function only(): StreamEvents {
    const [stream, other] = streams
    if (!stream || other) throw new Error(`there are ${streams.length} streams`)
    return stream
  }

  return {
    timer,
    streams,
    server,
    openTab,
    ready() {
      only().onSign()
      only().onReady()
    },
    hint(topic: Hint['topic']) {
      only().onSign()
      only().onHint({ topic })
    },
    breakOff: () => only().onEnd(),
    /** Lets time pass, and what waits for the server run on. */
    async pass(ms: number) {
      timer.pass(ms)
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    },
  }
}

test('where the stream begins late, everything is loaded once more', async () => {
  const { openTab, ready, pass } = openBrowser()
  const { told } = openTab()
  await pass(3000)
  ready()
  expect(told).toEqual(['all'])
})

test('tabs share one stream; when its tab is closed, another one takes over, and all load once', () => {
  const { openTab, ready, hint, streams } = openBrowser()
  const [first, second, third] = [openTab(), openTab(), openTab()]
  ready()
  hint('devices')
  // The beginning of the stream alone is no reason to load.
  expect([first.told, second.told, third.told]).toEqual([['devices'], ['devices'], ['devices']])
  expect(streams).toHaveLength(1)
  first.stop()
  expect(streams).toHaveLength(1)
  ready()
  hint('settings')
  const all = ['devices', 'all', 'settings']
  expect([first.told, second.told, third.told] as unknown[]).toEqual([['devices'], all, all])
})

test('a tab that is opened later asks whether the stream is open, and the others are not disturbed', async () => {
  const { openTab, ready, pass } = openBrowser()
  const first = openTab()
  ready()
  const second = openTab()
  await pass(30_000)
  expect([first.told, second.told]).toEqual([[], []])
})

test('after a stream that broke off everything is loaded once', async () => {
  const { openTab, ready, breakOff, pass, server } = openBrowser()
  const [first, second] = [openTab(), openTab()]
  ready()
  breakOff()
  await pass(1000)
  ready()
  expect([first.told, second.told]).toEqual([['all'], ['all']])
  expect(server.checks).toBe(1)
})

test('a connection that died without a word is noticed by the missing heartbeats', async () => {
  const { openTab, ready, pass, timer, streams } = openBrowser()
  const { told } = openTab()
  ready()
  await pass(60_000)
  streams[0]?.onSign()
  await pass(60_000)
  expect(told).toEqual([])
  timer.pass(5000)
  expect(streams).toEqual([])
  await pass(1000)
  ready()
  expect(told).toEqual(['all'])
})

test.each([
  ['fail', async ({ breakOff }: ReturnType<typeof openBrowser>) => breakOff()],
  ['are held back by a proxy', ({ pass }: ReturnType<typeof openBrowser>) => pass(8000)],
])('all tabs poll while streams %s, until one begins', async (_case, fail) => {
  const browser = openBrowser()
  const { openTab, ready, pass, timer } = browser
  const [first, second] = [openTab(), openTab()]
  await fail(browser)
  expect([first.told, second.told]).toEqual([[], []])
  await pass(1000)
  await fail(browser)
  expect([first.told, second.told]).toEqual([['all'], ['all']])
  timer.pass(2000)
  await pass(0)
  ready()
  expect([first.told.length, second.told.length]).toEqual([2, 3])
  const before = second.told.length
  await pass(30_000)
  expect(second.told).toHaveLength(before)
})

test('polls become rarer, and a tab that is opened meanwhile polls as well', async () => {
  const { openTab, breakOff, pass, streams } = openBrowser()
  const first = openTab()
  for (let n = 0; n < 2; n++) {
    breakOff()
    await pass(1000)
  }
  const second = openTab()
  for (let n = 0; n < 600; n++) {
    for (const stream of [...streams]) stream.onEnd()
    await pass(1000)
  }
  expect(first.told.length).toBeGreaterThan(30)
  expect(first.told.length).toBeLessThan(50)
  expect(Math.abs(first.told.length - second.told.length)).toBeLessThan(3)
})

test('a tab that nobody answers polls', async () => {
  const { openTab, pass } = openBrowser()
  openTab().hear({ kind: 'state', isOpen: true })
  const second = openTab()
  second.hear({ kind: 'state', isOpen: false })
  expect(second.told).toEqual(['all'])
  await pass(5000)
  expect(second.told).toEqual(['all', 'all'])
})

test('a tab that was hidden for minutes lets go, and loads everything when it is seen again', async () => {
  const { openTab, ready, pass, streams } = openBrowser()
  const { told, setVisible } = openTab()
  ready()
  setVisible(false)
  await pass(30_000)
  setVisible(true)
  await pass(0)
  expect([streams.length, told.length]).toEqual([1, 0])
  setVisible(false)
  for (let n = 0; n < 9; n++) {
    streams[0]?.onSign()
    await pass(20_000)
  }
  expect(streams).toEqual([])
  setVisible(true)
  ready()
  expect(told).toEqual(['all'])
})

test('where tabs cannot agree, each has a stream of its own, but none that is hidden', async () => {
  const { openTab, pass, streams } = openBrowser({ isShared: false })
  const [first, second] = [openTab(), openTab()]
  expect(streams).toHaveLength(2)
  for (const stream of streams) stream.onReady()
  first.setVisible(false)
  await pass(0)
  expect(streams).toHaveLength(1)
  first.setVisible(true)
  expect(streams).toHaveLength(2)
  streams[1]?.onReady()
  expect([first.told, second.told]).toEqual([['all'], []])
})

test('a tab that has stopped does nothing any more', async () => {
  const { openTab, ready, pass, breakOff, streams, server, timer } = openBrowser()
  const { told, stop, hear } = openTab()
  ready()
  breakOff()
  stop()
  hear({ kind: 'hint', hint: { topic: 'all' } })
  await pass(60_000)
  expect({ told, streams, checks: server.checks, waiting: timer.waiting }).toEqual({
    ...{ told: [], streams: [], checks: 0, waiting: 0 },
  })
})

test('what listens in a tab hears of each hint until it is gone', () => {
  const heard: string[] = []
  const endFirst = listenToHints(({ topic }) => {
    heard.push(`first ${topic}`)
    endFirst()
  })
  const endSecond = listenToHints(({ topic }) => heard.push(`second ${topic}`))
  notifyListeners({ topic: 'devices' })
  notifyListeners({ topic: 'settings' })
  endSecond()
  notifyListeners({ topic: 'all' })
  expect(heard).toEqual(['first devices', 'second devices', 'second settings'])
})
