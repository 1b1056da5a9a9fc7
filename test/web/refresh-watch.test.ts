import { expect, test } from 'bun:test'
import { type Listener, type RefreshProgress, watchRefresh } from '../../src/web/pages/admin-feeds/refresh.ts'

const running = (done: number): RefreshProgress => ({ running: true, done, failed: 0, total: 4 })
const FINISHED: RefreshProgress = { running: false, done: 4, failed: 1, total: 4 }

/** A watch whose events, answers and clock the test controls. */
function startWatch(answers: (RefreshProgress | Error)[] = []) {
  const shown: RefreshProgress[] = []
  const timers: (() => void)[] = []
  const state = { isListening: false, polls: 0 }
  let listener: Listener | undefined
  const stop = watchRefresh({
    listen(given) {
      listener = given
      state.isListening = true
      return () => {
        state.isListening = false
      }
    },
    fetchStatus() {
      state.polls++
      const answer = answers.shift() ?? new Error('no answer')
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
    event: (progress: unknown) => listener?.onProgress(JSON.stringify(progress)),
    fail: (isFinal = false) => listener?.onFailure(isFinal),
    tick: () => {
      timers.shift()?.()
      return settle()
    },
  }
}

/** Lets promises that are resolved already run on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

test('events are shown until the end, and malformed ones are ignored', () => {
  const { event, shown, state } = startWatch()
  const malformed = [{ running: 'yes' }, { ...running(2), done: -1 }, null]
  for (const progress of [running(1), ...malformed, running(2), FINISHED, running(3)]) event(progress)
  expect(shown).toEqual([running(1), running(2), FINISHED])
  expect(state).toEqual({ isListening: false, polls: 0 })
})

test('reconnecting is left to the browser as long as events arrive', () => {
  const { event, fail, state } = startWatch()
  for (let n = 0; n < 5; n++) {
    fail()
    event(running(n))
  }
  expect(state).toEqual({ isListening: true, polls: 0 })
})

test.each([
  ['the browser gives up', [true]],
  ['two connections in a row fail', [false, false]],
])('it polls to the end when %s', async (_, failures) => {
  const { fail, tick, shown, state, timers } = startWatch([running(1), new Error('busy'), FINISHED])
  for (const isFinal of failures) fail(isFinal)
  await settle()
  expect(state.isListening).toBe(false)
  await tick()
  await tick()
  expect(shown).toEqual([running(1), FINISHED])
  expect(timers).toEqual([])
})

test('it polls when no event arrives for some seconds', async () => {
  const { event, tick, shown, state } = startWatch([running(2), FINISHED])
  await tick()
  event(running(1))
  await tick()
  expect(shown).toEqual([running(2), FINISHED])
  expect(state).toEqual({ isListening: false, polls: 2 })
})

test('it can be stopped, even during a request', async () => {
  const { fail, stop, shown, timers } = startWatch([running(1)])
  fail(true)
  stop()
  await settle()
  expect([shown, timers]).toEqual([[], []])
})
