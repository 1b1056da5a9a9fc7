import { expect, test } from 'bun:test'
import { createReloader } from '../../src/web/hooks/reloader.ts'
import { FakeTimer } from '../support/clock.ts'

const DEVICES = { topic: 'devices' } as const

/** A page whose reloads, if `isSlow`, take until the test calls `finish`. */
function openPage({ isSlow = false } = {}) {
  const timer = new FakeTimer()
  const state = { now: 0, isVisible: true, reloads: [] as number[] }
  let release = () => undefined as unknown
  const { note, wake, end } = createReloader({
    reload(hints) {
      state.reloads.push(hints.length)
      if (!isSlow) return undefined
      const { promise, resolve } = Promise.withResolvers<void>()
      release = resolve
      return promise
    },
    isVisible: () => state.isVisible,
    now: () => state.now,
    later: timer.start,
  })
  return {
    ...{ note, wake, end, state, timer },
    async pass(ms: number) {
      state.now += ms
      timer.pass(ms)
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    },
    finish: () => release(),
  }
}

test('simultaneous hints cause one reload soon', async () => {
  const { note, pass, state } = openPage()
  note(DEVICES)
  note(DEVICES)
  await pass(150)
  expect(state.reloads).toEqual([2])
})

test('hints during a reload cause one more after it', async () => {
  const { note, pass, state, finish } = openPage({ isSlow: true })
  note(DEVICES)
  await pass(150)
  note(DEVICES)
  note(DEVICES)
  await pass(10_000)
  expect(state.reloads).toEqual([1])
  finish()
  await pass(0)
  await pass(2000)
  expect(state.reloads).toEqual([1, 2])
})

test('a hidden page waits until it is visible', async () => {
  const { note, wake, pass, state } = openPage()
  state.isVisible = false
  note(DEVICES)
  await pass(60_000)
  expect(state.reloads).toEqual([])
  state.isVisible = true
  wake()
  await pass(150)
  expect(state.reloads).toEqual([1])
})

test('constant hints cause about thirty reloads a minute; after a pause the next one is soon again', async () => {
  const { note, pass, state } = openPage()
  for (let n = 0; n < 600; n++) {
    note(DEVICES)
    await pass(100)
  }
  expect(state.reloads.length).toBeWithin(28, 36)
  await pass(2000)
  await pass(11_000)
  const before = state.reloads.length
  note(DEVICES)
  await pass(150)
  expect(state.reloads).toHaveLength(before + 1)
})

test('a page does not reload after it was left', async () => {
  const { note, end, pass, state } = openPage()
  note(DEVICES)
  end()
  await pass(1000)
  expect(state.reloads).toEqual([])
})
