import { beforeEach, expect, test } from 'bun:test'
import { createToastStore, type Toast, toasts } from '../../src/web/store/toasts.ts'

const UNDO = { label: 'Undo', run: () => undefined }

/** A store with a clock controlled by the test. */
function createTestStore() {
  const timers = new Set<{ readonly milliseconds: number; readonly work: () => void }>()
  const store = createToastStore((milliseconds, work) => {
    const timer = { milliseconds, work }
    timers.add(timer)
    return () => void timers.delete(timer)
  })
  return {
    ...store,
    show: (text: string, more: Partial<Toast> = {}) => store.add({ text, kind: 'info', subject: text, ...more }),
    pending: () => [...timers].map(({ milliseconds }) => milliseconds),
    elapse() {
      const due = [...timers]
      timers.clear()
      for (const { work } of due) work()
    },
  }
}

const shown = () => toasts.value.map(({ text }) => text)

beforeEach(() => {
  toasts.value = []
})

test.each([
  ['a later toast about the same subject replaces the earlier one', ['on a', 'off a'], ['off']],
  ['a third toast removes the first', ['one a', 'two b', 'three c'], ['two', 'three']],
  ['a repeated toast comes last', ['one a', 'two b', 'three a'], ['two', 'three']],
])('%s', (_, messages, expected) => {
  const { show, pending } = createTestStore()
  for (const [text = '', subject = ''] of messages.map((message) => message.split(' '))) show(text, { subject })
  expect(shown()).toEqual(expected)
  expect(pending()).toHaveLength(expected.length)
})

test('later toasts do not remove an error', () => {
  const { show } = createTestStore()
  show('refused', { kind: 'error' })
  for (const text of ['one', 'two', 'three']) show(text)
  expect(shown()).toEqual(['refused', 'three'])
  show('lost', { kind: 'error' })
  show('gone', { kind: 'error' })
  expect(shown()).toEqual(['lost', 'gone'])
})

test('toasts disappear after a while, later if they have a button; errors only when closed', () => {
  const { show, remove, elapse, pending } = createTestStore()
  show('saved')
  show('unsubscribed', { action: UNDO })
  expect(pending()).toEqual([5000, 10_000])
  const id = show('refused', { kind: 'error' })
  expect(pending()).toEqual([10_000])
  elapse()
  expect(shown()).toEqual(['refused'])
  remove(id)
  expect(shown()).toEqual([])
})

test('a held toast stays, and its time restarts when it is released', () => {
  const { show, hold, release, elapse, pending } = createTestStore()
  const id = show('unsubscribed', { action: UNDO })
  hold(id)
  elapse()
  expect(shown()).toEqual(['unsubscribed'])
  release(id)
  release(id)
  expect(pending()).toEqual([10_000])
  elapse()
  expect(shown()).toEqual([])
})
