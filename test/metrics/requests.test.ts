import { expect, test } from 'bun:test'
import { createRequestTally } from '../../src/metrics/metrics.ts'

function linesOf({ read }: ReturnType<typeof createRequestTally>) {
  return read().flatMap(({ values }) =>
    values.map(({ metricName = '', labels = {}, value }) => `${metricName}${JSON.stringify(labels)} ${value}`),
  )
}

test('all files of the web client count as one route, since their names change with each version', () => {
  const tally = createRequestTally()
  for (const path of ['/a/main-1.js', '/a/de-2.js', '/podcasts/a/main-1.css', '/logo.svg'])
    tally.note('GET', path, 200, 1)
  const routes = linesOf(tally).filter((line) => line.startsWith('{'))
  expect(routes).toEqual([
    '{"method":"GET","route":"/a/*","status":200} 2',
    '{"method":"GET","route":"/podcasts/a/*","status":200} 1',
    '{"method":"GET","route":"/logo.svg","status":200} 1',
  ])
})

test('invented methods are counted together, and not remembered', () => {
  const tally = createRequestTally()
  for (let n = 0; n < 1000; n++) tally.note(`M${n}`, 'none', 405, 1)
  const lines = linesOf(tally)
  expect(lines).toContain('{"method":"other","route":"none","status":405} 1000')
  expect(lines).toHaveLength(1 + 16)
})

test('a request is in the bucket of its duration and all above', () => {
  const tally = createRequestTally()
  for (const ms of [0, 1, 1.1, 60, 20_000]) tally.note('GET', '/', 200, ms)
  const buckets = linesOf(tally).filter((line) => line.includes('_bucket'))
  const count = (le: unknown) =>
    buckets
      .find((line) => line.includes(`"le":${JSON.stringify(le)}`))
      ?.split(' ')
      .at(-1)
  expect([0.001, 0.0025, 0.05, 0.1, 10, '+Inf'].map(count)).toEqual(['2', '3', '3', '4', '4', '5'])
})
