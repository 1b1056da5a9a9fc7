import { describe, expect, test } from 'bun:test'
import {
  type Listener,
  parseProgress,
  type RefreshProgress,
  watchRefresh,
} from '../../src/web/pages/admin-feeds/refresh.ts'

const running = (done: number): RefreshProgress => ({ running: true, done, failed: 0, total: 4 })
const OVER: RefreshProgress = { running: false, done: 4, failed: 1, total: 4 }

/** Lets answers arrive that are there already. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

/** A server whose events and answers the test hands out, and a clock that it moves by hand. */
function lookOn(answers: (RefreshProgress | Error)[] = []) {
  const shown: RefreshProgress[] = []
  const timers: (() => void)[] = []
  const state = { isListening: false, asked: 0 }
  const given: { listener?: Listener } = {}
  const stop = watchRefresh({
    listen(listener) {
      given.listener = listener
      state.isListening = true
      return () => {
        state.isListening = false
      }
    },
    fetchStatus() {
      state.asked++
      const answer = answers.shift() ?? new Error('nothing to say')
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
    later(_, work) {
      timers.push(work)
      return () => {
        timers.splice(timers.indexOf(work), 1)
      }
    },
    show: (progress) => shown.push(progress),
  })
  return {
    shown,
    state,
    timers,
    stop,
    event: (progress: unknown) => given.listener?.onProgress(JSON.stringify(progress)),
    fail: (isOver = false) => given.listener?.onFailure(isOver),
    settle,
    tick: () => {
      timers.shift()?.()
      return settle()
    },
  }
}

describe('following a refresh of all feeds', () => {
  test('shows each event, and stops listening at the end', () => {
    const { event, shown, state } = lookOn()
    event(running(1))
    event(running(2))
    event(OVER)
    event(running(3))
    expect(shown).toEqual([running(1), running(2), OVER])
    expect(state).toEqual({ isListening: false, asked: 0 })
  })

  test('takes no notice of events that are no progress', () => {
    const { event, shown, state } = lookOn()
    event({ running: 'yes' })
    expect(shown).toEqual([])
    expect(state.isListening).toBe(true)
  })

  test('leaves coming back to the browser, as long as something comes', () => {
    const { event, fail, state } = lookOn()
    for (let n = 0; n < 5; n++) {
      fail()
      event(running(n))
    }
    expect(state).toEqual({ isListening: true, asked: 0 })
  })

  test.each([
    ['the browser gives up', [true]],
    ['nothing comes twice in a row', [false, false]],
  ])('asks instead when %s, until it is over', async (_, failures) => {
    const { fail, settle, tick, shown, state, timers } = lookOn([running(1), new Error('busy'), OVER])
    for (const isOver of failures) fail(isOver)
    await settle()
    expect(state.isListening).toBe(false)
    await tick()
    await tick()
    expect(shown).toEqual([running(1), OVER])
    expect(timers).toEqual([])
  })

  test('asks instead when nothing comes for some seconds', async () => {
    const { event, tick, shown, state } = lookOn([running(2), OVER])
    await tick()
    event(running(1))
    await tick()
    expect(shown).toEqual([running(2), OVER])
    expect(state).toEqual({ isListening: false, asked: 2 })
  })

  test('looks away when told to, also while it asks', async () => {
    const { fail, settle, stop, shown, timers } = lookOn([running(1)])
    fail(true)
    stop()
    await settle()
    expect(shown).toEqual([])
    expect(timers).toEqual([])
  })
})

describe('reading an event', () => {
  test.each([
    ['{"running":true,"done":1,"failed":0,"total":4}', running(1)],
    ['{"running":true,"done":1,"failed":0,"total":4,"new":1}', running(1)],
    ['{"running":true,"done":-1,"failed":0,"total":4}', undefined],
    ['{"running":true,"done":1,"total":4}', undefined],
    ['null', undefined],
    ['{', undefined],
  ])('%s', (data, expected) => {
    expect(parseProgress(data)).toEqual(expected)
  })
})
