import './support/browser-globals.ts'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  EVERYTHING,
  inbox,
  inProgress,
  inProgressAnywhere,
  type ListedEpisode,
  loadInbox,
  loadMoreOfInbox,
  newest,
  secondsLeft,
  showAs,
  unplayed,
} from '../../src/web/store/episodes/lists.ts'
import { markAll, markEpisodes, podcastsOf, restoreEpisodes, undoMarks } from '../../src/web/store/episodes/marks.ts'
import { handleProgress } from '../../src/web/store/playback/now-playing.ts'
import { account } from '../../src/web/store/session.ts'
import { reasonOf } from '../support/values.ts'
import { signInAs } from './support/account.ts'
import { errorResponse, fakeServer, type SentRequest } from './support/fake-server.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'

/** An episode released on a day of March. */
function episode(day: number, fields: Partial<ListedEpisode> = {}): ListedEpisode {
  const released = `2025-03-${String(day).padStart(2, '0')}T06:00:00`
  return {
    podcast: { url: FEED, title: 'Harbour Talk', logo_url: '', artwork: '' },
    episode: {
      ...{ title: `Day ${day}`, url: `https://cdn.example/${day}.mp3`, website: '', mygpo_link: '', guid: `${day}` },
      ...{ released, duration: 1800, image_url: '', has_picture: false },
    },
    state: 'new',
    ...fields,
  }
}

const BEGUN = episode(2, { state: 'in_progress', position: 600, total: 1800, timestamp: '2025-03-09T08:00:00' })
const STATES = [episode(4), episode(3), BEGUN]

const daysIn = (items: readonly ListedEpisode[] | undefined) =>
  items?.map(({ episode: { guid }, state }) => `${guid} ${state}`)
const linesOf = (requests: readonly SentRequest[]) => requests.map(({ line }) => line)
const marksIn = (requests: readonly SentRequest[]) =>
  requests.filter(({ line }) => line.includes('/mark')).map(({ body }) => body)

function answer({ line }: SentRequest): unknown {
  if (line.includes('/in-progress')) return { items: [BEGUN], next: null }
  if (line.includes('/inbox')) return { items: STATES, next: null }
  if (line.includes('/unplayed')) return [{ url: FEED, unplayed: 3, new: 1 }]
  return { status: 'ok', marked: 1, has_more: false, undo: 'abc', timestamp: 1 }
}

beforeEach(() => signInAs())

afterEach(() => {
  account.value = null
})

async function loadAll(): Promise<void> {
  fakeServer(answer)
  await Promise.all([inProgress.load(), newest.load(), unplayed.load(), loadInbox(EVERYTHING)])
}

describe('marks', () => {
  test('appear in all lists at once, and are sent', async () => {
    await loadAll()
    expect(unplayed.value.value?.get(FEED)).toMatchObject({ unplayed: 3, new: 1 })
    const requests = fakeServer(answer)
    const sent = markEpisodes([BEGUN, episode(4)], 'played')
    expect(daysIn(inProgress.value.value)).toEqual([])
    expect(daysIn(newest.value.value)).toEqual(['3 new'])
    expect(daysIn(inbox.value?.items)).toEqual(['3 new'])
    await sent
    const name = (day: number) => ({ podcast: FEED, episode: `https://cdn.example/${day}.mp3`, guid: `${day}` })
    expect(marksIn(requests)).toEqual([{ as: 'played', episodes: [name(2), name(4)] }])
  })

  test('that are undone restore each episode with its position', async () => {
    await loadAll()
    fakeServer(answer)
    const undo = await markEpisodes(STATES, 'played')
    const requests = fakeServer(answer)
    await restoreEpisodes(STATES, undo)
    expect(marksIn(requests)).toEqual([{ undo: 'abc' }])
    expect(daysIn(inbox.value?.items)).toEqual(['4 new', '3 new', '2 in_progress'])
    expect(daysIn(inProgress.value.value)).toEqual(['2 in_progress'])
  })

  test('that the server rejects disappear', async () => {
    await loadAll()
    fakeServer((request) => (request.line.includes('/mark') ? errorResponse(500, 'internal') : answer(request)))
    expect(await reasonOf(markEpisodes([episode(4)], 'played'))).toMatchObject({ code: 'internal' })
    expect(daysIn(inbox.value?.items)).toEqual(['4 new', '3 new', '2 in_progress'])
  })

  test('of more than 1,000 selected episodes take several requests, which are undone in reverse order', async () => {
    let n = 0
    const requests = fakeServer((request) =>
      request.line.includes('/mark') ? { marked: 1000, has_more: false, undo: `undo${++n}` } : answer(request),
    )
    const undo = await markEpisodes(Array(1001).fill(episode(1)), 'played')
    expect(marksIn(requests)).toMatchObject([{ as: 'played' }, { as: 'played', episodes: { length: 1 } }])
    await undoMarks(undo)
    expect(marksIn(requests).slice(2)).toEqual([{ undo: 'undo2' }, { undo: 'undo1' }])
  })

  test.each([
    [EVERYTHING, {}],
    [{ ...EVERYTHING, podcast: FEED }, { podcasts: [FEED] }],
    [{ ...EVERYTHING, tag: 'sea' }, { tag: 'sea' }],
  ])('of all episodes of %p are repeated until the server has no more', async (filter, podcasts) => {
    let left = 3
    const requests = fakeServer(() => ({ marked: 10, has_more: --left > 0, undo: left > 0 ? `undo${left}` : null }))
    const newest = { podcast: FEED, episode: 'https://cdn.example/4.mp3' }
    expect(await markAll({ ...podcastsOf(filter), newest }, 'played')).toEqual({ n: 30, undo: ['undo2', 'undo1'] })
    expect(marksIn(requests)).toEqual(Array(3).fill({ as: 'played', all: { ...podcasts, newest } }))
  })
})

describe('the inbox', () => {
  /** Days 30 to 1, three on a page. */
  function pages({ line }: SentRequest): unknown {
    const query = new URLSearchParams(line.split('?')[1])
    const from = Number(query.get('before') ?? 30)
    const size = query.get('per_page') === '50' ? 3 : Number(query.get('per_page'))
    const items = Array.from({ length: Math.min(size, from) }, (_, n) => episode(from - n))
    return { items, next: from > size ? String(from - size) : null }
  }

  test('loads page by page, and keeps older pages when it is reloaded', async () => {
    const requests = fakeServer(pages)
    await loadInbox(EVERYTHING)
    await loadMoreOfInbox()
    expect(inbox.value?.items.map(({ episode: { guid } }) => guid)).toEqual(['30', '29', '28', '27', '26', '25'])
    await loadInbox(EVERYTHING)
    expect([inbox.value?.items.length, inbox.value?.next]).toEqual([6, '24'])
    expect(linesOf(requests)[1]).toBe('GET api/2/me/inbox?per_page=50&before=27&new=true')
    for (let n = 0; n < 12; n++) await loadMoreOfInbox()
    expect([inbox.value?.items.length, inbox.value?.next]).toEqual([30, null])
  })

  test('starts again with another filter, and ignores a late page of the previous one', async () => {
    fakeServer(pages)
    await loadInbox(EVERYTHING)
    const late = loadMoreOfInbox()
    const requests = fakeServer(pages)
    await loadInbox({ podcast: FEED, tag: '', folder: '', show: 'all' })
    await late
    expect(linesOf(requests)).toEqual([`GET api/2/me/inbox?per_page=50&podcast=${encodeURIComponent(FEED)}`])
    expect(inbox.value?.items).toHaveLength(3)
  })

  test('of a tag ignores episodes of other podcasts', async () => {
    fakeServer(answer)
    await loadInbox({ ...EVERYTHING, tag: 'sea' })
    showAs([{ ...episode(4), state: 'played' }])
    const other = { ...episode(5), podcast: { url: `${FEED}?other`, title: 'Other', logo_url: '', artwork: '' } }
    showAs([episode(4), other])
    expect(daysIn(inbox.value?.items)).toEqual(['4 new', '3 new', '2 in_progress'])
  })

  test('is dropped when the user changes while it loads', async () => {
    fakeServer(pages)
    const late = loadInbox(EVERYTHING)
    account.value = null
    await late
    expect(inbox.value).toBeUndefined()
  })

  test('has the episodes of Home while the server is unreachable, but only without a filter', async () => {
    fakeServer(({ line }) => {
      // As stored in the browser.
      if (line.includes('/home')) return { in_progress: [], inbox: [episode(4)], devices: [], synchronized: [] }
      throw new TypeError('no route to the server')
    })
    await loadInbox(EVERYTHING)
    expect(daysIn(inbox.value?.items)).toEqual(['4 new'])
    for (const other of [{ podcast: FEED }, { tag: 'sea' }, { show: 'unplayed' as const }])
      expect(await reasonOf(loadInbox({ ...EVERYTHING, ...other }))).toMatchObject({ code: 'offline' })
  })
})

test.each([
  [{ state: 'in_progress', position: 600, total: 1800 } as const, 1200],
  [{ state: 'in_progress', position: 2000 } as const, 0],
  [{ state: 'new' } as const, undefined],
])('an episode with %p has %p seconds left', (fields, seconds) => {
  expect(secondsLeft(episode(1, fields))).toBe(seconds)
})

test('the playing episode is the first one to continue before it was reported, and is listed once', () => {
  inProgress.set([BEGUN])
  newest.set([episode(4)])
  const tell = (url: string, title: string, position = 10) =>
    handleProgress(
      {
        ...{ username: 'ida', url, status: 'playing', position, total: 1800 },
        episode: { url, title, podcast: FEED, podcastTitle: 'Harbour Talk', duration: 1800 },
      },
      () => () => undefined,
    )
  const titles = () => inProgressAnywhere.value?.map(({ episode: { title }, state }) => `${title} ${state}`)
  tell('https://cdn.example/bell.mp3', 'Bell')
  expect(titles()).toEqual(['Bell in_progress', 'Day 2 in_progress'])
  tell('https://cdn.example/4.mp3', 'Day 4')
  expect(titles()).toEqual(['Day 4 in_progress', 'Day 2 in_progress'])
  expect(inProgressAnywhere.value?.[0]?.episode.released).toBe('2025-03-04T06:00:00')
  tell('https://cdn.example/2.mp3', 'Day 2')
  expect(titles()).toEqual(['Day 2 in_progress'])
  tell('https://cdn.example/2.mp3', 'Day 2', 1800)
  expect(titles()).toEqual([])
  tell('https://cdn.example/2.mp3', 'Day 2', 0)
})
