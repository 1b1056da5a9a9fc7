import { describe, expect, test } from 'bun:test'
import { formatTimestamp } from '../../../src/domain/shared/time.ts'
import { FetchFailure } from '../../../src/outbound/fetch-failure.ts'
import { importScene } from '../../domain/transfer/import-scene.ts'
import { episodesOf, type Handler, ofKind, readAll, standIn, table } from './stand-in.ts'

const T = 1_740_000_000
const NOW = T + 1_000_000

interface Stored {
  readonly podcast: string
  readonly episode: string
  readonly at: number
  readonly uploaded: number
}

interface Habits {
  /** Actions that one response holds at most. */
  readonly cap?: number
  readonly filter?: 'event' | 'upload' | 'none'
  readonly order?: 'event' | 'upload' | 'newest' | 'other every time'
  readonly timestamp?: 'now' | 'last' | 'still' | 'none'
  readonly podcasts?: 'filtered' | 'ignored' | 'unknown'
  readonly repeats?: boolean
}

/** A server of episode actions with these habits. */
function historyServer(stored: readonly Stored[], habits: Habits): Handler {
  const { cap = Number.POSITIVE_INFINITY, filter = 'upload', order = 'event', timestamp = 'now' } = habits
  let requests = 0
  return (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/api/2/episodes/ida.json') return table({ '/api/2/devices/ida.json': [] })(request)
    requests++
    const since = Number(searchParams.get('since'))
    const podcast = searchParams.get('podcast')
    if (podcast !== null && habits.podcasts === 'unknown') return new Response('no such podcast', { status: 404 })
    const timeOf = ({ at, uploaded }: Stored) => (filter === 'event' ? at : uploaded)
    const matching = stored.filter(
      (each) =>
        (filter === 'none' || timeOf(each) >= since) &&
        (podcast === null || habits.podcasts === 'ignored' || each.podcast === podcast),
    )
    const ordered = matching.toSorted((a, b) => {
      if (order === 'upload') return a.uploaded - b.uploaded
      return order === 'newest' ? b.at - a.at : a.at - b.at
    })
    const page = ordered.slice(0, cap)
    const last = page.at(-1)
    const told = { now: NOW, last: last ? timeOf(last) : NOW, still: 5, none: undefined }[timestamp]
    const shown = order === 'other every time' && requests % 2 === 0 ? page.toReversed() : page
    const actions = (habits.repeats ? [...shown, ...shown] : shown).map(({ podcast: url, episode, at }) => ({
      ...{ podcast: url, episode, action: 'play', position: 1, timestamp: formatTimestamp(at) },
    }))
    return Response.json({ actions, timestamp: told })
  }
}

/** A history of three podcasts, uploaded in a different order than it happened. */
function history(length: number, timeOf: (n: number) => number = (n) => T + 10 * n): Stored[] {
  return Array.from({ length }, (_, n) => ({
    podcast: `https://feeds.example/${n % 3}`,
    episode: `https://media.example/${n}.mp3`,
    at: timeOf(n),
    uploaded: T + 20_000 + ((n * 7) % length),
  }))
}

/** The numbers of episodes, in order. */
function numbers(episodes: readonly string[]): number[] {
  return episodes.map((episode) => Number(/(\d+)\.mp3/.exec(episode)?.[1])).toSorted((a, b) => a - b)
}

const all = (length: number) => Array.from({ length }, (_, n) => n)

const SERVERS: readonly (readonly [string, Habits])[] = [
  ['everything at once', {}],
  ['everything at once, ignoring since', { filter: 'none' }],
  ['everything at once, with a timestamp that stands still', { filter: 'none', timestamp: 'still' }],
  ['everything at once, without a timestamp', { timestamp: 'none' }],
  ['everything at once, each time in another order', { filter: 'none', order: 'other every time' }],
  ['each action twice', { repeats: true }],
  ['pages by upload', { cap: 100, order: 'upload', timestamp: 'last' }],
  ['pages by the time of the action, as gpodder.net', { cap: 100, filter: 'event', timestamp: 'last' }],
  ['such pages, but a timestamp of now', { cap: 100, filter: 'event' }],
  ['such pages of an odd size, but a timestamp of now', { cap: 37, filter: 'event' }],
  ['such pages, but a timestamp that stands still', { cap: 100, filter: 'event', timestamp: 'still' }],
  ['such pages, but no timestamp', { cap: 100, filter: 'event', timestamp: 'none' }],
  ['such pages, shuffled', { cap: 100, filter: 'event', timestamp: 'last', order: 'other every time' }],
  ['pages by the time of the action, ordered by upload', { cap: 200, filter: 'event', order: 'upload' }],
  ['such pages, with the time of the last', { cap: 200, filter: 'event', order: 'upload', timestamp: 'last' }],
  ['the earliest only, of those uploaded since', { cap: 200 }],
  ['the newest only', { cap: 200, filter: 'event', order: 'newest' }],
]

/** Expects all 450 actions if the import is killed after any of these records and resumed. */
async function expectResumable(server: Handler, stops: readonly number[]): Promise<void> {
  for (const stop of stops) {
    let met = 0
    const first = await readAll(standIn(server).source({ kind: 'gpodder' }), { until: () => met++ === stop })
    const rest = await readAll(standIn(server).source({ kind: 'gpodder' }), { resumeFrom: first.cursor })
    expect(numbers([...new Set([...episodesOf(first), ...episodesOf(rest)])])).toEqual(all(450))
  }
}

describe('each action is imported once, also after a kill, from a server that sends', () => {
  test.each(SERVERS)('%s', async (_name, habits) => {
    const server = historyServer(history(450), habits)
    const other = standIn(server)
    const reading = await readAll(other.source({ kind: 'gpodder' }))
    expect(reading.error).toBeUndefined()
    expect(numbers(episodesOf(reading))).toEqual(all(450))
    expect(ofKind(reading, 'skipped')).toEqual([])
    expect(other.asked.length).toBeLessThan(40)
    await expectResumable(
      server,
      [...reading.records.keys()].filter((stop) => stop % 2 === 0),
    )
  })
})

describe('more actions in one second than fit into a page', () => {
  const many = history(450, (n) => (n < 100 ? T + n : T + 1000))
  const habits: Habits = { cap: 200, filter: 'event', timestamp: 'last' }

  test('are requested by podcast, also after a kill', async () => {
    const other = standIn(historyServer(many, habits))
    const reading = await readAll(other.source({ kind: 'gpodder' }))
    expect(numbers(episodesOf(reading))).toEqual(all(450))
    expect(ofKind(reading, 'skipped')).toEqual([])
    await expectResumable(historyServer(many, habits), [2, 4, 6, 8, 10, 12])
  })

  test('are requested by podcast if all are in that second, and the timestamp is the current time', async () => {
    const server = historyServer(
      history(150, () => T),
      { cap: 100, filter: 'event' },
    )
    const reading = await readAll(standIn(server).source())
    expect(numbers(episodesOf(reading))).toEqual(all(150))
    expect(ofKind(reading, 'skipped')).toEqual([])
  })

  test('are reported if a single podcast has that many', async () => {
    const one = many.map((each) => ({ ...each, podcast: 'https://feeds.example/a' }))
    const reading = await readAll(standIn(historyServer(one, habits)).source())
    const reason = 'more actions of one podcast at one second than the server gives at once'
    const examples = ['https://feeds.example/a']
    expect(ofKind(reading, 'skipped')).toEqual([{ kind: 'skipped', what: 'episode_actions', reason, examples }])
  })

  test('are reported if the server cannot filter by podcast', async () => {
    const reading = await readAll(standIn(historyServer(many, { ...habits, podcasts: 'ignored' })).source())
    expect(ofKind(reading, 'skipped').map(({ reason }) => reason)).toEqual([
      'pods.example gives a part of its actions at once, and there is no way to the rest',
    ])
    const none = await readAll(standIn(historyServer(many, { ...habits, podcasts: 'unknown' })).source())
    expect(none.error).toBeUndefined()
  })
})

test('an endless history is read up to a limit, and reported', async () => {
  let n = 0
  const next = () => {
    if (++n > 20_000) throw new Error('too many requests')
    const action = { podcast: 'https://feeds.example/a', episode: `https://media.example/${n}`, action: 'new' }
    return Response.json({ actions: [action], timestamp: n })
  }
  const other = standIn(table({ '/api/2/devices/ida.json': [], '/api/2/episodes/ida.json': next }))
  const reading = await readAll(other.source({ kind: 'gpodder' }))
  expect(n).toBe(20_000)
  expect(ofKind(reading, 'skipped').map(({ reason }) => reason)).toEqual([
    'the history of pods.example does not end; it was read up to here',
  ])
})

describe('invalid actions', () => {
  const play = { podcast: 'https://feeds.example/a', episode: 'https://media.example/1.mp3', action: 'PLAY' }
  const actions = [
    play,
    { ...play, position: 'far' },
    { ...play, action: 'sing' },
    { ...play, timestamp: 'yesterday' },
    { ...play, podcast: 'mailto:ida@pods.example' },
    { ...play, device: "Ida's phone", timestamp: '2025-03-01T10:00:00' },
    'text',
    null,
    7,
    [],
    { ...play, guid: 'x'.repeat(300_000) },
  ]

  test('are counted, the others are imported, and undated ones are the same every time', async () => {
    const handler = table({ '/api/2/devices/ida.json': [], '/api/2/episodes/ida.json': { actions, timestamp: 9 } })
    const scene = await importScene()
    const report = await scene.run((await readAll(standIn(handler).source())).records)
    expect(report.counts.episode_actions).toEqual({ imported: 2, present: 0, skipped: 9 })
    expect(report.skipped.map(({ reason, count }) => [reason, count])).toEqual([
      ['position must be a number of seconds', 1],
      ['action must be one of download, play, delete, new, flattr', 1],
      ['timestamp must be like 2025-03-02T10:00:00 (UTC) or Unix seconds', 1],
      ['an episode action must be an object', 5],
      ['without an http or https address of podcast and episode', 1],
    ])
    const clock = scene.clockOf()
    scene.clock.advance(3600)
    const again = await scene.run((await readAll(standIn(handler).source())).records)
    expect(again.counts.episode_actions).toEqual({ imported: 0, present: 2, skipped: 9 })
    expect(scene.clockOf()).toBe(clock)
  })

  test('end the history, but not the import of the account', async () => {
    const text = JSON.stringify({ actions: [play, { ...play, action: 'new' }] })
    const handler = table({
      '/api/2/devices/ida.json': [],
      '/api/2/episodes/ida.json': text.replace(']}', ',}]}'),
      '/api/2/lists/ida.json': [{ name: 'sea', title: 'Sea' }],
      '/api/2/lists/ida/list/sea.json': [{ url: 'https://feeds.example/a' }],
    })
    const reading = await readAll(standIn(handler).source())
    expect(reading.error).toBeUndefined()
    expect(episodesOf(reading)).toHaveLength(2)
    expect(ofKind(reading, 'skipped')).toMatchObject([
      { what: 'episode_actions', reason: expect.stringMatching(/^the response of pods.example is damaged/) },
    ])
    expect(ofKind(reading, 'podcast_list')).toHaveLength(1)
  })
})

describe('a broken connection', () => {
  const actions = history(1200).map(({ podcast, episode, at }) => ({ podcast, episode, action: 'new', timestamp: at }))
  const text = JSON.stringify({ actions, timestamp: NOW })

  /** A server whose first `breaks` responses end in the middle. */
  function breaking(breaks: number, end: 'error' | 'silence') {
    let left = breaks
    return standIn((request) => {
      if (new URL(request.url).pathname !== '/api/2/episodes/ida.json') return Response.json([])
      if (new URL(request.url).searchParams.get('since') !== '0') return Response.json({ actions: [], timestamp: NOW })
      if (left-- <= 0) return new Response(text)
      return new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(Buffer.from(text.slice(0, text.length / 2)))
            if (end === 'error') controller.error(new FetchFailure('unreachable', 'pods.example cannot be reached'))
            else controller.close()
          },
        }),
      )
    })
  }

  test.each(['error', 'silence'] as const)('(%s) is retried, and interrupts the import if it persists', async (end) => {
    const other = breaking(2, end)
    const reading = await readAll(other.source())
    expect(reading.error).toBeUndefined()
    expect(numbers(episodesOf(reading))).toEqual(all(1200))
    expect(other.pauses).toEqual([5, 20])

    const broken = breaking(9, end)
    const first = await readAll(broken.source())
    expect(first.error).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/start the same import again later to resume it$/),
    })
    expect(broken.pauses).toEqual([5, 20, 60, 120])
    const rest = await readAll(breaking(0, end).source(), { resumeFrom: first.cursor })
    expect(rest.error).toBeUndefined()
    expect(numbers([...new Set([...episodesOf(first), ...episodesOf(rest)])])).toEqual(all(1200))
  })
})
