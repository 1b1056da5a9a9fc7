import { afterEach, beforeEach, expect, test } from 'bun:test'
import { afterFrame, eachFrame } from '../../src/web/hooks/frames.ts'

const original = globalThis.setTimeout
let frames: (() => void)[]
let timers: (() => void)[]
let done: string[]

beforeEach(() => {
  frames = []
  timers = []
  done = []
  Object.assign(globalThis, {
    document: { hidden: false },
    requestAnimationFrame: (paint: () => void) => frames.push(paint),
    setTimeout: (work: () => void) => timers.push(work),
  })
})

afterEach(() => {
  globalThis.setTimeout = original
  for (const name of ['document', 'requestAnimationFrame']) Reflect.deleteProperty(globalThis, name)
})

/** Paints a frame and runs the timers after it. */
function paint(): void {
  for (const frame of frames.splice(0)) frame()
  for (const timer of timers.splice(0)) timer()
}

const note = (name: string) => () => void done.push(name)

test('one task runs after each frame, in order', () => {
  for (const name of ['first', 'second', 'third']) afterFrame(note(name))
  const seen = []
  for (let n = 0; n < 4; n++) {
    paint()
    seen.push([...done])
  }
  expect(seen).toEqual([['first'], ['first', 'second'], ['first', 'second', 'third'], ['first', 'second', 'third']])
})

test('a cancelled task is skipped without taking a frame', () => {
  afterFrame(note('first'))()
  const stop = afterFrame(note('second'))
  afterFrame(note('third'))
  stop()
  paint()
  expect(done).toEqual(['third'])
})

test('repeated work alternates with other tasks until it is done', () => {
  let left = 3
  eachFrame(() => {
    done.push('step')
    return --left > 0
  })
  afterFrame(note('other'))
  for (let n = 0; n < 6; n++) paint()
  expect(done).toEqual(['step', 'other', 'step', 'step'])
})

test('tasks also run in a hidden page, which has no frames', () => {
  Object.assign(globalThis.document, { hidden: true })
  afterFrame(note('first'))
  afterFrame(note('second'))
  for (let n = 0; n < 2; n++) for (const timer of timers.splice(0)) timer()
  expect(frames).toEqual([])
  expect(done).toEqual(['first', 'second'])
})
