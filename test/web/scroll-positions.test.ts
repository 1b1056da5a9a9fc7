import { expect, test } from 'bun:test'
import { createScrollPositions } from '../../src/web/store/scroll-positions.ts'

/** A browser's history, with entries as pages make them. */
function createVisit() {
  const entries: { state: unknown; path: string }[] = [{ state: null, path: '/' }]
  let at = 0
  const current = () => entries[at] ?? { state: null, path: '/' }
  const history = {
    get state() {
      return current().state
    },
    replaceState(state: unknown) {
      entries[at] = { ...current(), state }
    },
  }
  return {
    positions: createScrollPositions({ history, path: () => current().path, prefix: 'tab' }),
    history,
    push(path: string) {
      entries.splice(at + 1, entries.length, { state: null, path })
      at++
    },
    go(by: number) {
      at += by
    },
  }
}

test('a page that the user returns to has its position, and a new one has none', () => {
  const { positions, push, go } = createVisit()
  expect(positions.restore()).toBeUndefined()
  positions.save({ y: 700 })
  push('/podcast')
  expect(positions.restore()).toBeUndefined()
  positions.save({ y: 300 })
  go(-1)
  expect(positions.restore()).toEqual({ y: 700 })
  positions.save({ y: 750 })
  go(1)
  expect(positions.restore()).toEqual({ y: 300 })
  go(-1)
  expect(positions.restore()).toEqual({ y: 750 })
  push('/')
  expect(positions.restore()).toBeUndefined()
})

test('a page that is still shown while the next one loads does not save its position for that one', () => {
  const { positions, push } = createVisit()
  positions.restore()
  push('/podcast')
  positions.save({ y: 400 })
  expect(positions.restore()).toBeUndefined()
})
