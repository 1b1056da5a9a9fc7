import { describe, expect, test } from 'bun:test'
import { createReplay, type Execution } from '../../../src/store/postgres/replay.ts'

/** A database that answers each statement with its text and parameters, and `fail` with an error. */
function open() {
  const { db, run } = createReplay((sql) => String(sql), 'lock ?1')
  const rounds: string[][] = []
  const toText = ({ sql, params }: Execution) => [sql, ...params].join(' ')
  return {
    rounds,
    one: db.prepare<{ text: string }, [number]>('one'),
    two: db.prepare<{ text: string }, [number]>('two'),
    fail: db.prepare<{ text: string }, []>('fail'),
    db,
    run: <T>(work: () => T) =>
      run(work, async (executions) => {
        rounds.push(executions.map(toText))
        for (const execution of executions)
          execution.outcome =
            execution.sql === 'fail'
              ? { error: new Error('failed') }
              : { rows: [{ text: toText(execution) }], changes: 1 }
      }),
  }
}

describe('work on a database that answers later', () => {
  test('is called again with each outcome, and returns the result of the last call', async () => {
    const { run, rounds, one, two } = open()
    let calls = 0
    const result = await run(() => {
      calls++
      const first = one.get(1)?.text
      return [first, ...two.all(2).map(({ text }) => text)]
    })
    expect(result).toEqual(['one 1', 'two 2'])
    expect(rounds).toEqual([['one 1'], ['two 2'], []])
    expect(calls).toBe(3)
  })

  test('does not wait for changes whose outcome it does not use', async () => {
    const { run, rounds, one, two } = open()
    const result = await run(() => {
      one.run(1)
      one.run(2)
      const { changes } = one.run(3)
      const last = two.run(4)
      return { changes, last }
    })
    expect(rounds).toEqual([['one 1', 'one 2', 'one 3'], ['two 4']])
    expect(result.changes).toBe(1)
    expect(result.last.changes).toBe(1)
  })

  test('can catch the error of a statement, and fails with an error that it did not notice', async () => {
    const { run, rounds, one, fail } = open()
    const caught = await run(() => {
      one.get(1)
      try {
        fail.get()
      } catch (error) {
        if (error instanceof Error) return error.message
        throw error
      }
      return 'nothing'
    })
    expect(caught).toBe('failed')
    await expect(run(() => void fail.run())).rejects.toThrow('failed')
    expect(rounds.flat()).toEqual(['one 1', 'fail', 'fail'])
  })

  test('executes nothing more after it has thrown', async () => {
    const { run, rounds, one } = open()
    const work = () => {
      one.run(1)
      throw new Error('no room')
    }
    await expect(run(work)).rejects.toThrow('no room')
    expect(rounds).toEqual([])
  })

  test('waits once for independent reads', async () => {
    const { run, rounds, db, one, two } = open()
    const results = await run(() => db.together([1, 2].map((n) => () => `${one.get(n)?.text}, ${two.get(n)?.text}`)))
    expect(results).toEqual(['one 1, two 1', 'one 2, two 2'])
    expect(rounds).toEqual([['one 1', 'one 2'], ['two 1', 'two 2'], []])
  })

  test('does not repeat work for items that are done', async () => {
    const { run, db, one } = open()
    const seen: number[] = []
    const results = await run(() =>
      db.each([1, 2, 3], (n) => {
        seen.push(n)
        return one.get(n)?.text
      }),
    )
    expect(results).toEqual(['one 1', 'one 2', 'one 3'])
    expect(seen).toEqual([1, 1, 2, 2, 3, 3])
  })

  test('gets the same value from memory in each call', async () => {
    const { run, rounds, db, one, two } = open()
    let remembered: string | undefined
    const recall = () => db.once(() => (remembered ??= one.get(1)?.text))
    const result = await run(() => [recall(), two.get(2)?.text, recall()])
    expect(result).toEqual(['one 1', 'two 2', 'one 1'])
    expect(rounds).toEqual([['one 1'], ['two 2'], []])
  })

  test('may use what other work has brought into memory', async () => {
    const { run, rounds, db, one, two } = open()
    let remembered: string | undefined
    const recall = () => db.once(() => (remembered ??= one.get(1)?.text))
    const work = () => [recall(), two.get(2)?.text]
    expect(await Promise.all([run(work), run(work)])).toEqual([
      ['one 1', 'two 2'],
      ['one 1', 'two 2'],
    ])
    expect(rounds).toHaveLength(6)
  })

  const wrong: readonly [what: string, work: (world: ReturnType<typeof open>, call: number) => void][] = [
    ['another statement', ({ one, two }, call) => void (call === 1 ? one : two).get(1)],
    [
      'a list of another length',
      ({ db, one }, call) => void db.together((call === 1 ? [1] : [1, 2]).map((n) => () => one.get(n))),
    ],
    ['a loop instead of a statement', ({ db, one }, call) => void (call === 1 ? one.get(1) : db.each([1], (n) => n))],
  ]
  for (const [what, work] of wrong)
    test(`is refused if it differs in another call: ${what}`, async () => {
      const world = open()
      let calls = 0
      await expect(world.run(() => work(world, ++calls))).rejects.toThrow('work asked for something else')
    })

  test('is the only place for statements', () => {
    const { one } = open()
    expect(() => one.get(1)).toThrow('outside work')
  })

  test('holds a user without waiting for it', async () => {
    const { run, rounds, db, one } = open()
    await run(() => {
      db.hold(7 as never)
      one.get(1)
    })
    expect(rounds[0]).toEqual(['lock ?1 7', 'one 1'])
  })
})
