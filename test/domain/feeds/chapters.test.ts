import { describe, expect, test } from 'bun:test'
import {
  askChapters,
  type ChapterSource,
  createFeedChapters,
  parseChapters,
} from '../../../src/domain/feeds/chapters.ts'
import { createEpisodeFiles } from '../../../src/domain/feeds/episode-files.ts'
import { createHostQueue } from '../../../src/domain/shared/concurrency.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { createRateLimit } from '../../../src/domain/shared/rate-limit.ts'
import { createLru } from '../../../src/platform/lru.ts'
import { fakeClock } from '../../support/clock.ts'
import { reasonOf } from '../../support/values.ts'

const IDA = 1 as UserId
const OLE = 2 as UserId
const FILE = 'https://cdn.tidewater.example/fog.json'

const fileOf = (...chapters: unknown[]) => JSON.stringify({ version: '1.2.0', chapters })

function open(answer: string | undefined | ((url: string) => Promise<string | undefined>), fetchesMax = 2) {
  const clock = fakeClock()
  const asked: string[] = []
  const source: ChapterSource = {
    async read(url) {
      asked.push(url)
      return typeof answer === 'function' ? answer(url) : answer
    },
    close: () => void asked.push('closed'),
  }
  const files = createEpisodeFiles({
    ask: askChapters(source),
    maxBytes: 100_000,
    queue: createHostQueue({ atOnce: 4, perHost: 2 }),
    fetches: createRateLimit({ max: fetchesMax, windowMs: 60_000 }, createLru(10, clock, 60_000), clock),
    clock,
  })
  const chapters = createFeedChapters(source, files)
  return {
    clock,
    asked,
    stop: chapters.stop,
    list: (chaptersUrl = FILE, inline = '', user = IDA) => chapters.list(user, { chapters: inline, chaptersUrl }),
  }
}

/** Lets the queue start all work within its limits. */
async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve))
}

describe('the chapters of an episode', () => {
  test('are those in the feed, without a request', async () => {
    const { list, asked } = open(fileOf({ startTime: 0, title: 'Other' }))
    expect(await list(FILE, '[[10,"The horn",""]]')).toEqual([[10, 'The horn', '']])
    expect(await list('')).toEqual([])
    expect(asked).toEqual([])
  })

  test('are fetched once an hour for all requests', async () => {
    const { list, asked, clock } = open(fileOf({ startTime: 10.9, title: 'The horn', url: 'https://a.example' }))
    const expected = [[10, 'The horn', 'https://a.example/']]
    expect((await Promise.all([list(), list()])) as unknown).toEqual([expected, expected])
    await list()
    expect(asked).toEqual([FILE])
    clock.advance(3601)
    await list()
    expect(asked).toHaveLength(2)
  })

  test('are empty if they cannot be fetched, which is tried again after a minute, and ever less often', async () => {
    const { list, asked, clock } = open(undefined)
    const minutes: number[] = []
    for (let minute = 0; minute <= 130; minute++) {
      const before = asked.length
      expect([await list(), await list()]).toEqual([[], []])
      if (asked.length > before) minutes.push(minute)
      clock.advance(60)
    }
    expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 95, 127])
  })

  test('appear as soon as their file can be fetched, which resets its backoff', async () => {
    let text: string | undefined
    const { list, asked, clock } = open(async () => text)
    await list()
    clock.advance(60)
    await list()
    text = fileOf({ startTime: 1, title: 'The horn' })
    clock.advance(120)
    expect(await list()).toEqual([[1, 'The horn', '']])
    text = undefined
    clock.advance(3601)
    await list()
    clock.advance(60)
    await list()
    expect(asked).toHaveLength(5)
  })

  test('of one user are queued, and do not delay those of another', async () => {
    const answers = new Map<string, () => void>()
    const slow = (url: string) =>
      new Promise<string>((resolve) => {
        answers.set(url, () => resolve(fileOf()))
      })
    const { list, asked } = open(slow, 20)
    const files = Array.from({ length: 8 }, (_, n) => `https://host${n}.example/fog.json`)
    const all = files.map((file) => list(file))
    await turns()
    expect(asked).toEqual(files.slice(0, 4))
    const other = 'https://other.example/fog.json'
    all.push(list(other, '', OLE))
    for (const file of files.slice(0, 2)) answers.get(file)?.()
    await turns()
    expect(asked.slice(4)).toContain(other)
    while (asked.length > 0) {
      for (const file of asked.splice(0)) answers.get(file)?.()
      await turns()
    }
    await Promise.all(all)
  })

  test('are not fetched any more when the server stops', () => {
    const { stop, asked } = open(undefined)
    stop()
    expect(asked).toEqual(['closed'])
  })

  test('are fetched for one user up to a limit', async () => {
    const { list } = open(fileOf())
    await list(`${FILE}?1`)
    await list(`${FILE}?2`)
    expect(await reasonOf(list(`${FILE}?3`))).toMatchObject({ code: 'rate_limited' })
  })
})

test.each<[string, unknown]>([
  ['', []],
  ['[]', []],
  ['{"chapters":{}}', []],
  [fileOf(null, 'x', { title: 'x' }, { startTime: '1', title: 'x' }), []],
  [fileOf({ startTime: 1, title: ' ' }, { startTime: -1, title: 'x' }), []],
  [fileOf({ startTime: 1, title: 'silent', toc: false }), []],
  [
    fileOf({ startTime: 60, title: 'b' }, { startTime: 1, title: ' a ', url: 'javascript:x()' }),
    [
      [1, 'a', ''],
      [60, 'b', ''],
    ],
  ],
  [
    fileOf({ startTime: 1, title: 'a', img: 'https://a.example/1.png' }, { startTime: 2, title: 'b', img: 'data:,x' }),
    [
      [1, 'a', '', 'https://a.example/1.png'],
      [2, 'b', ''],
    ],
  ],
])('the chapters of the file %p are %j', (text, chapters) => {
  expect(parseChapters(text)).toEqual(chapters as never)
})

test('of an endless file only a bounded part is read', () => {
  const many = (length: number, title: string) => Array.from({ length }, (_, n) => ({ startTime: n, title }))
  expect(parseChapters(fileOf(...many(300, 'x')))).toHaveLength(200)
  expect(parseChapters(fileOf(...many(300, 'x').toReversed()))).toEqual(parseChapters(fileOf(...many(300, 'x'))))
  // However few chapters there are, their texts are cut to 64 Ki characters in all.
  const long = parseChapters(fileOf(...many(300, 'x'.repeat(600))))
  expect([long.length, long[0]?.[1].length]).toEqual([131, 500])
  const unreadable = Array.from({ length: 1000 }, () => null)
  expect(parseChapters(fileOf(...unreadable, { startTime: 1, title: 'x' }))).toEqual([])
})
