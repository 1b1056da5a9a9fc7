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

test('each entry has its own counts', () => {
  const { positions, push, go } = createVisit()
  push('/podcast')
  positions.restore()
  positions.setCount('episodes', 3)
  push('/podcast')
  positions.restore()
  expect(positions.count('episodes')).toBeUndefined()
  go(-1)
  expect(positions.count('episodes')).toBe(3)
})

test('a page that stays while its entry is replaced keeps its position', () => {
  const { positions, history, push, go } = createVisit()
  positions.restore()
  history.replaceState(null)
  positions.save({ y: 400 })
  push('/podcast')
  positions.restore()
  go(-1)
  expect(positions.restore()).toEqual({ y: 400 })
})

test('a page that is still shown while the next one loads does not save its position for that one', () => {
  const { positions, push } = createVisit()
  positions.restore()
  push('/podcast')
  positions.save({ y: 400 })
  expect(positions.restore()).toBeUndefined()
})

test.each([[null], ['entry'], [{ entry: 7 }], [{ entry: 'earlier.0' }]])(
  'history state of others or of an earlier load is ignored: %j',
  (state) => {
    const { positions, history } = createVisit()
    history.replaceState(state)
    expect(positions.count('episodes')).toBeUndefined()
    expect(positions.restore()).toBeUndefined()
  },
)

test('only the latest hundred entries are remembered', () => {
  const { positions, push, go } = createVisit()
  for (let n = 0; n < 101; n++) {
    push(`/${n}`)
    positions.restore()
    positions.save({ y: n + 1 })
  }
  go(-99)
  expect(positions.restore()).toEqual({ y: 2 })
  go(-1)
  expect(positions.restore()).toBeUndefined()
})
