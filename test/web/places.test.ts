import { describe, expect, test } from 'bun:test'
import { createScrollPositions } from '../../src/web/store/scroll-positions.ts'

/** A browser's history, with entries as its pages make them. */
function visit(prefix = 'tab') {
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
    places: createScrollPositions({ history, path: () => current().path, prefix }),
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

describe('the places of a visit', () => {
  test('a page that is come back to is where it was left, and a new one begins at its top', () => {
    const { places, push, go } = visit()
    expect(places.restore()).toBeUndefined()
    places.save({ y: 700 })
    push('/podcast')
    expect(places.restore()).toBeUndefined()
    places.save({ y: 300 })
    go(-1)
    expect(places.restore()).toEqual({ y: 700 })
    places.save({ y: 750 })
    go(1)
    expect(places.restore()).toEqual({ y: 300 })
    go(-1)
    expect(places.restore()).toEqual({ y: 750 })
  })

  test('the same page by another way is a new one', () => {
    const { places, push } = visit()
    places.restore()
    places.save({ y: 700 })
    push('/podcast')
    places.restore()
    push('/')
    expect(places.restore()).toBeUndefined()
  })

  test('each entry keeps its own counts', () => {
    const { places, push, go } = visit()
    push('/podcast')
    places.restore()
    places.setCount('episodes', 3)
    push('/podcast')
    places.restore()
    expect(places.count('episodes')).toBeUndefined()
    go(-1)
    expect(places.count('episodes')).toBe(3)
    expect(places.count('others')).toBeUndefined()
  })

  test('a page that stays while its entry is replaced is known by the new one', () => {
    const { places, history, push, go } = visit()
    places.restore()
    history.replaceState(null)
    places.save({ y: 400 })
    push('/podcast')
    places.restore()
    go(-1)
    expect(places.restore()).toEqual({ y: 400 })
  })

  test('a page that is still there when the address is the next one’s leaves that one alone', () => {
    const { places, push } = visit()
    places.restore()
    push('/podcast')
    places.save({ y: 400 })
    expect(places.restore()).toBeUndefined()
  })

  test.each([[null], ['place'], [{ entry: 7 }], [{ entry: 'earlier.0' }]])(
    'what others or an earlier load have written there means nothing: %j',
    (state) => {
      const { places, history } = visit()
      history.replaceState(state)
      expect(places.count('episodes')).toBeUndefined()
      expect(places.restore()).toBeUndefined()
    },
  )

  test('only the latest hundred are remembered', () => {
    const { places, push, go } = visit()
    for (let n = 0; n < 101; n++) {
      push(`/${n}`)
      places.restore()
      places.save({ y: n + 1 })
    }
    go(-99)
    expect(places.restore()).toEqual({ y: 2 })
    go(-1)
    expect(places.restore()).toBeUndefined()
  })

  test('before a page is there nothing can be left', () => {
    const { places, history } = visit()
    places.save({ y: 400 })
    expect(history.state).toBeNull()
  })
})
