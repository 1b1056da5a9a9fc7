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

/** Tabs of one browser, a server with streams, and a clock, all controlled by the test. */
function openBrowser({ isShared = true } = {}) {
  const timer = new FakeTimer()
  const waiting: (() => void)[] = []
  const tabs: { hear(message: TabMessage): void }[] = []
  const streams: StreamEvents[] = []
  const server = { checks: 0 }

  /** A lock that one tab holds at a time. If tabs cannot share it, each tab leads itself. */
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
    const hints: Hint['topic'][] = []
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
    const live = createLive(parts, ({ topic }) => hints.push(topic))
    tabs.push(live)
    live.start()
    return { hints, ...live }
  }

  /** The only open stream. */
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
    /** Lets time pass, and then pending promises settle. */
    async pass(ms: number) {
      timer.pass(ms)
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    },
  }
}

test('a stream that opens late makes the tab reload everything', async () => {
  const { openTab, ready, pass } = openBrowser()
  const { hints } = openTab()
  await pass(3000)
  ready()
  expect(hints).toEqual(['all'])
})

test('tabs share one stream; when its tab is closed, another tab takes over and all reload once', () => {
  const { openTab, ready, hint, streams } = openBrowser()
  const [first, second, third] = [openTab(), openTab(), openTab()]
  ready()
  hint('devices')
  // Opening the stream alone is no reason to reload.
  expect([first.hints, second.hints, third.hints]).toEqual([['devices'], ['devices'], ['devices']])
  expect(streams).toHaveLength(1)
  first.stop()
  expect(streams).toHaveLength(1)
  ready()
  hint('settings')
  const all = ['devices', 'all', 'settings']
  expect([first.hints, second.hints, third.hints] as unknown[]).toEqual([['devices'], all, all])
})

test('a later tab finds the open stream without making other tabs reload', async () => {
  const { openTab, ready, pass } = openBrowser()
  const first = openTab()
  ready()
  const second = openTab()
  await pass(30_000)
  expect([first.hints, second.hints]).toEqual([[], []])
})

test('all tabs reload once after an interrupted stream', async () => {
  const { openTab, ready, breakOff, pass, server } = openBrowser()
  const [first, second] = [openTab(), openTab()]
  ready()
  breakOff()
  await pass(1000)
  ready()
  expect([first.hints, second.hints]).toEqual([['all'], ['all']])
  expect(server.checks).toBe(1)
})

test('a dead connection is noticed by missing heartbeats', async () => {
  const { openTab, ready, pass, timer, streams } = openBrowser()
  const { hints } = openTab()
  ready()
  await pass(60_000)
  streams[0]?.onSign()
  await pass(60_000)
  expect(hints).toEqual([])
  timer.pass(5000)
  expect(streams).toEqual([])
  await pass(1000)
  ready()
  expect(hints).toEqual(['all'])
})

test.each([
  ['fail', async ({ breakOff }: ReturnType<typeof openBrowser>) => breakOff()],
  ['are held back by a proxy', ({ pass }: ReturnType<typeof openBrowser>) => pass(8000)],
])('all tabs poll while streams %s, until one opens', async (_case, fail) => {
  const browser = openBrowser()
  const { openTab, ready, pass, timer } = browser
  const [first, second] = [openTab(), openTab()]
  await fail(browser)
  expect([first.hints, second.hints]).toEqual([[], []])
  await pass(1000)
  await fail(browser)
  expect([first.hints, second.hints]).toEqual([['all'], ['all']])
  timer.pass(2000)
  await pass(0)
  ready()
  expect([first.hints.length, second.hints.length]).toEqual([2, 3])
  const before = second.hints.length
  await pass(30_000)
  expect(second.hints).toHaveLength(before)
})

test('polls become less frequent, including those of a tab opened meanwhile', async () => {
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
  expect(first.hints.length).toBeGreaterThan(30)
  expect(first.hints.length).toBeLessThan(50)
  expect(Math.abs(first.hints.length - second.hints.length)).toBeLessThan(3)
})

test('a tab polls if no other tab responds', async () => {
  const { openTab, pass } = openBrowser()
  openTab().hear({ kind: 'state', isOpen: true })
  const second = openTab()
  second.hear({ kind: 'state', isOpen: false })
  expect(second.hints).toEqual(['all'])
  await pass(5000)
  expect(second.hints).toEqual(['all', 'all'])
})

test('a tab hidden for minutes closes its stream, and reloads everything when it is visible again', async () => {
  const { openTab, ready, pass, streams } = openBrowser()
  const { hints, setVisible } = openTab()
  ready()
  setVisible(false)
  await pass(30_000)
  setVisible(true)
  await pass(0)
  expect([streams.length, hints.length]).toEqual([1, 0])
  setVisible(false)
  for (let n = 0; n < 9; n++) {
    streams[0]?.onSign()
    await pass(20_000)
  }
  expect(streams).toEqual([])
  setVisible(true)
  ready()
  expect(hints).toEqual(['all'])
})

test('each visible tab has its own stream if tabs cannot communicate', async () => {
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
  expect([first.hints, second.hints]).toEqual([['all'], []])
})

test('a stopped tab does nothing', async () => {
  const { openTab, ready, pass, breakOff, streams, server, timer } = openBrowser()
  const { hints, stop, hear } = openTab()
  ready()
  breakOff()
  stop()
  hear({ kind: 'hint', hint: { topic: 'all' } })
  await pass(60_000)
  expect({ hints, streams, checks: server.checks, waiting: timer.waiting }).toEqual({
    ...{ hints: [], streams: [], checks: 0, waiting: 0 },
  })
})

test('listeners in a tab get each hint until they are removed', () => {
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
