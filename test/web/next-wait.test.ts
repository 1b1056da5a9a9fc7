import { expect, test } from 'bun:test'
import { nextDelay } from '../../src/web/hooks/use-refresh.ts'

/** Seconds between questions as long as they begin before `until`; those that are asked `news` seconds after the beginning bring some. */
function waits(awaited: number, until: number, news: readonly number[]): number[] {
  const all: number[] = []
  let wait = nextDelay(0, { since: 0, hasNews: true, awaited })
  for (let since = wait; since < until * 1000; since += wait) {
    all.push(wait / 1000)
    wait = nextDelay(wait, { since, hasNews: news.includes(since / 1000), awaited })
  }
  return all
}

const FIRST_MINUTE: readonly number[] = Array(30).fill(2)

test.each([
  ['every two seconds in the first minute', 1, 60, [], FIRST_MINUTE.slice(1)],
  ['so often whatever it brings', 20, 60, [2, 30, 58], FIRST_MINUTE.slice(1)],
  ['ever later after it', 1, 370, [], [...FIRST_MINUTE, 10, 20, 40, 80, 80]],
  ['soon again after news', 1, 140, [70], [...FIRST_MINUTE, 10, 10, 20]],
  ['less often from the beginning if they are many', 21, 120, [30], [10, 20, 10, 20, 40]],
])('new podcasts are asked for %s', (_, awaited, until, news, expected) => {
  expect(waits(awaited, until, news)).toEqual(expected)
})
