import { beforeEach, describe, expect, test } from 'bun:test'
import { createToastStore, type Toast, toasts } from '../../src/web/store/toasts.ts'

const UNDO = { label: 'Undo', run: () => undefined }

interface Alarm {
  readonly milliseconds: number
  readonly work: () => void
}

/** A shelf whose clock the test moves by hand. */
function lookOn() {
  const alarms = new Set<Alarm>()
  const shelf = createToastStore((milliseconds, work) => {
    const alarm = { milliseconds, work }
    alarms.add(alarm)
    return () => void alarms.delete(alarm)
  })
  return {
    ...shelf,
    say: (text: string, more: Partial<Toast> = {}) => shelf.add({ text, kind: 'info', subject: text, ...more }),
    pending: () => [...alarms].map(({ milliseconds }) => milliseconds),
    ring() {
      const due = [...alarms]
      alarms.clear()
      for (const { work } of due) work()
    },
  }
}

const shown = () => toasts.value.map(({ text }) => text)

beforeEach(() => {
  toasts.value = []
})

describe('messages', () => {
  test.each([
    [
      'of two about the same only the later stays',
      [
        ['on', 'a'],
        ['off', 'a'],
      ],
      ['off'],
    ],
    [
      'two about different things stand beside each other',
      [
        ['on', 'a'],
        ['on', 'b'],
      ],
      ['on', 'on'],
    ],
    [
      'of three the first gives way',
      [
        ['one', 'a'],
        ['two', 'b'],
        ['three', 'c'],
      ],
      ['two', 'three'],
    ],
    [
      'what is said anew comes last',
      [
        ['one', 'a'],
        ['two', 'b'],
        ['three', 'a'],
      ],
      ['two', 'three'],
    ],
  ] as const)('%s', (_, said, expected) => {
    const { say, pending } = lookOn()
    for (const [text, subject] of said) say(text, { subject })
    expect(shown()).toEqual([...expected])
    expect(pending()).toHaveLength(expected.length)
  })

  test('go by themselves after a while, later where there is something to do', () => {
    const { say, ring, pending } = lookOn()
    say('saved')
    say('unsubscribed', { action: UNDO })
    expect(pending()).toEqual([8000, 15_000])
    ring()
    expect(shown()).toEqual([])
  })

  test('stay while somebody is at them, and begin anew when let go', () => {
    const { say, hold, release, ring, pending } = lookOn()
    const id = say('unsubscribed', { action: UNDO })
    hold(id)
    ring()
    expect(shown()).toEqual(['unsubscribed'])
    release(id)
    release(id)
    expect(pending()).toEqual([15_000])
    ring()
    expect(shown()).toEqual([])
  })

  test('that are gone leave no timer behind, also when they are let go afterwards', () => {
    const { say, remove, release, pending } = lookOn()
    const id = say('saved')
    remove(id)
    release(id)
    expect(shown()).toEqual([])
    expect(pending()).toEqual([])
  })
})
