import { beforeEach, expect, test } from 'bun:test'
import { createToastStore, type Toast, toasts } from '../../src/web/store/toasts.ts'

const UNDO = { label: 'Undo', run: () => undefined }

/** A store whose clock the test moves by hand. */
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
  ['of two about the same thing only the later one stays', ['on a', 'off a'], ['off']],
  ['of three the first one goes', ['one a', 'two b', 'three c'], ['two', 'three']],
  ['a repeated one comes last', ['one a', 'two b', 'three a'], ['two', 'three']],
])('%s', (_, messages, expected) => {
  const { show, pending } = createTestStore()
  for (const [text = '', subject = ''] of messages.map((message) => message.split(' '))) show(text, { subject })
  expect(shown()).toEqual(expected)
  expect(pending()).toHaveLength(expected.length)
})

test('an error is not pushed out by what comes later', () => {
  const { show } = createTestStore()
  show('refused', { kind: 'error' })
  for (const text of ['one', 'two', 'three']) show(text)
  expect(shown()).toEqual(['refused', 'three'])
  show('lost', { kind: 'error' })
  show('gone', { kind: 'error' })
  expect(shown()).toEqual(['lost', 'gone'])
})

test('a message disappears after a while, later if it has a button, and an error only when it is closed', () => {
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

test('a message that is held stays, and starts again when it is released', () => {
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
