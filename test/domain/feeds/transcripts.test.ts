import { expect, test } from 'bun:test'
import { createEpisodeFiles } from '../../../src/domain/feeds/episode-files.ts'
import { createTranscripts, type TranscriptAnswer } from '../../../src/domain/feeds/transcripts.ts'
import { createHostQueue } from '../../../src/domain/shared/concurrency.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { noLimit } from '../../../src/domain/shared/rate-limit.ts'
import { fakeClock } from '../../support/clock.ts'

const IDA = 1 as UserId
const URL = 'https://cdn.tidewater.example/fog.vtt'
const found = (file: string): TranscriptAnswer => ({ kind: 'file', file, size: 2 * file.length })

function open(answer: (url: string) => TranscriptAnswer) {
  const asked: string[] = []
  const clock = fakeClock()
  const files = createEpisodeFiles<string>({
    ask: async ({ url, type }) => {
      asked.push(`${type} ${url}`)
      return answer(url)
    },
    maxBytes: 10_000,
    queue: createHostQueue({ atOnce: 4, perHost: 2 }),
    fetches: noLimit,
    clock,
  })
  const { find } = createTranscripts(files)
  return {
    asked,
    find: (transcriptUrl = URL, transcriptType = 'text/vtt') => find(IDA, { transcriptUrl, transcriptType }),
  }
}

test('an episode whose feed names no transcript has none, without a request', async () => {
  const { find, asked } = open(() => found('[]'))
  expect(await find('')).toEqual({ state: 'none', cues: '[]' })
  expect(asked).toEqual([])
})

test('a transcript is fetched with the type that the feed names', async () => {
  const { find, asked } = open(() => found('[1]'))
  expect(await find()).toEqual({ state: 'ready', cues: '[1]' })
  expect(asked).toEqual([`text/vtt ${URL}`])
})

test.each(['off', 'unavailable', 'too_large', 'unreadable'] as const)('%s is reported', async (reason) => {
  const { find } = open(() => ({ kind: 'failed', reason }))
  expect(await find()).toEqual({ state: reason, cues: '[]' })
})

test('the most recently used transcripts are kept, up to a number of bytes', async () => {
  const { find, asked } = open((url) => found(url.endsWith('long') ? 'x'.repeat(6000) : 'x'.repeat(2000)))
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await find(`https://cdn.tidewater.example/${name}`)
  expect(asked.map((each) => each.slice(-1))).toEqual(['a', 'b', 'c', 'b'])
  for (const name of ['long', 'long']) await find(`https://cdn.tidewater.example/${name}`)
  expect(asked.filter((each) => each.endsWith('long'))).toHaveLength(2)
})
