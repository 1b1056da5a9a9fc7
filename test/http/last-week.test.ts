import { describe, expect, test } from 'bun:test'
import { urlOf } from './directory-scene.ts'
import { NAMES, openDays } from './last-week-scene.ts'

describe('a podcast', () => {
  test('was as it was a week ago from the eighth day on', async () => {
    const { have, list, days } = await openDays()
    await have('a', 2)
    await days(1)
    await have('a', 3)
    await days(6)
    expect(await list()).toEqual(['a 3 was 3 at 0'])
    await days(1)
    expect(await list()).toEqual(['a 3 was 2 at 1'])
    await days(1)
    expect(await list()).toEqual(['a 3 was 3 at 1'])
    await days(100)
    expect(await list()).toEqual(['a 3 was 3 at 1'])
  })

  test('that nobody had for a while was at 0, in no place', async () => {
    const { have, list, days } = await openDays()
    await have('a', 2)
    await days(1)
    await have('a', 0)
    await days(1)
    await have('a', 1)
    await days(6)
    expect(await list()).toEqual(['a 1 was 2 at 1'])
    await days(1)
    expect(await list()).toEqual(['a 1 was 0 at 0'])
    await days(1)
    expect(await list()).toEqual(['a 1 was 1 at 1'])
  })
})

describe('places', () => {
  test('are those of the toplist of then: by subscribers, then by title, then by URL', async () => {
    const { have, list, days, publish } = await openDays()
    for (const [name, people] of [
      ['d', 1],
      ['c', 2],
      ['b', 2],
      ['a', 2],
      ['e', 3],
    ] as const)
      await have(name, people)
    await publish('a', { title: 'Winds' })
    await publish('b', { title: 'Fog' })
    await publish('c', { title: 'Fog' })
    await days(1)
    for (const name of ['a', 'b', 'c', 'd', 'e']) await have(name, 1)
    await days(7)
    expect(await list()).toEqual(
      ['b 1 was 2 at 2', 'c 1 was 2 at 3', 'd 1 was 1 at 5', 'e 1 was 3 at 1', 'a 1 was 2 at 4'].toSorted(byTitle),
    )
  })

  /** Fog, Fog, the two that have none, Winds. */
  const byTitle = (a: string, b: string) => 'bcdea'.indexOf(a.charAt(0)) - 'bcdea'.indexOf(b.charAt(0))

  test('are not taken by what is private or left, then or now (D56)', async () => {
    const { as, have, list, days } = await openDays()
    for (const name of ['a', 'b', 'c?token=1']) await have(name, 3)
    await have('d', 1)
    await days(8)
    expect(await list()).toEqual(['a 3 was 3 at 1', 'b 3 was 3 at 2', 'd 1 was 1 at 3'])
    for (const name of NAMES)
      await as(name).post(`/api/2/settings/${name}/podcast.json?podcast=${urlOf('a')}`, {
        set: { public_subscription: false },
      })
    await days(1)
    expect(await list()).toEqual(['b 3 was 3 at 1', 'd 1 was 1 at 2'])
  })
})

test('over two months each day is as the day a week before it was', async () => {
  const { have, list, days } = await openDays()
  const podcasts = ['a', 'b', 'c', 'd']
  const seen: Record<string, number>[] = []
  for (let day = 0; day < 60; day++) {
    const now: Record<string, number> = {}
    for (const [index, name] of podcasts.entries()) now[name] = (day * (index + 1) + ((day * day) >> index)) % 4
    for (const name of podcasts) if (now[name] !== seen.at(-1)?.[name]) await have(name, now[name] ?? 0)
    await days(1)
    seen.push(now)
    const before = seen.at(-8)
    const places = before
      ? podcasts.filter((name) => before[name]).toSorted((a, b) => (before[b] ?? 0) - (before[a] ?? 0))
      : []
    const expected = podcasts
      .filter((name) => now[name])
      .toSorted((a, b) => (now[b] ?? 0) - (now[a] ?? 0))
      .map((name) => `${name} ${now[name]} was ${wasIn(seen, name) ?? now[name]} at ${places.indexOf(name) + 1}`)
    expect({ day, list: await list() }).toEqual({ day, list: expected })
  }
})

/** What is known of a week before the last day: nothing before somebody had it. */
function wasIn(seen: readonly Record<string, number>[], name: string): number | undefined {
  const then = seen.slice(0, -7)
  return then.some((day) => day[name]) ? then.at(-1)?.[name] : undefined
}
