import './support/browser-globals.ts'
import { beforeEach, expect, test } from 'bun:test'
import { targetOf } from '../../src/web/components/queue/drag.ts'
import {
  addToQueue,
  clearQueue,
  leaveQueue,
  loadQueue,
  moveInQueue,
  queue,
  removeFromQueue,
  restoreQueue,
} from '../../src/web/store/episodes/queue.ts'
import { errorResponse, fakeServer, type SentRequest } from './support/fake-server.ts'

const PODCAST = 'https://feeds.tidewater.example/harbour.xml'
const urlOf = (title: string) => `https://cdn.tidewater.example/${title}.mp3`
const item = (title: string) => ({
  podcast: { url: PODCAST, title: 'Harbour Talk' },
  episode: { url: urlOf(title), title },
})

/** A server with a queue (docs/protocol.md#queue), which rejects a change if `fails` returns true. */
function serve(titles: readonly string[], fails: (request: SentRequest) => boolean = () => false) {
  let list = [...titles]
  const titleOf = (url: unknown) =>
    list.find((title) => urlOf(title) === url) ?? String(url).replace(/.*\/(.*)\.mp3/, '$1')
  return fakeServer((request) => {
    const { line, body } = request
    if (!line.startsWith('GET') && fails(request)) return errorResponse(409, 'quota_exceeded')
    const named = [Object(body).episodes ?? []].flat().map(({ episode }) => titleOf(episode))
    const others = list.filter((title) => !named.includes(title))
    if (line.startsWith('PUT')) list = named
    if (line.startsWith('POST')) list = Object(body).at === 'next' ? [...named, ...others] : [...others, ...named]
    if (line.startsWith('DELETE')) {
      const episode = new URL(line.slice(7), 'http://server').searchParams.get('episode')
      list = episode === null ? [] : list.filter((title) => urlOf(title) !== episode)
    }
    return { items: list.map(item) }
  })
}

const shown = () => queue.value?.map(({ episode }) => episode.title).join(' ')
const fog = { podcast: PODCAST, url: urlOf('fog') }

beforeEach(async () => {
  serve(['fog', 'bell', 'tide'])
  await loadQueue()
})

test.each([
  ['play next', () => addToQueue([{ podcast: PODCAST, url: urlOf('gull') }], 'next'), 'gull fog bell tide'],
  ['play last', () => addToQueue([{ podcast: PODCAST, url: urlOf('gull') }], 'last'), 'fog bell tide gull'],
  ['play last of one that is there', () => addToQueue([fog], 'last'), 'bell tide fog'],
  ['remove', () => removeFromQueue(fog), 'bell tide'],
  ['clear', clearQueue, ''],
  ['move down', () => moveInQueue(urlOf('fog'), 1), 'bell fog tide'],
  ['move to the top', () => moveInQueue(urlOf('tide'), 0), 'tide fog bell'],
])('%s', async (_, change, expected) => {
  const before = queue.value ?? []
  await change()
  expect(shown()).toBe(expected)
  await loadQueue()
  expect(shown()).toBe(expected)
  await restoreQueue(before)
  await loadQueue()
  expect(shown()).toBe('fog bell tide')
})

test('a new order is shown at once, and only the last of several moves is sent', async () => {
  const requests = serve(['fog', 'bell', 'tide'])
  const moves = [1, 2].map((to) => moveInQueue(urlOf('fog'), to))
  expect(shown()).toBe('bell tide fog')
  await Promise.all(moves)
  expect(requests.map(({ body }) => [Object(body).episodes].flat().map(({ episode }) => episode))).toEqual([
    ['bell', 'tide', 'fog'].map(urlOf),
  ])
})

test('a hint during a change causes no reload, since the response has the queue', async () => {
  const requests = serve(['fog', 'bell', 'tide'])
  const removed = removeFromQueue(fog)
  await loadQueue()
  await removed
  expect(requests.map(({ line }) => line.split('?')[0])).toEqual(['DELETE api/2/me/queue'])
  expect(shown()).toBe('bell tide')
})

test('a failed change restores the queue of the server, and the next change works', async () => {
  let isFull = true
  serve(['fog', 'bell', 'tide'], () => isFull)
  await expect(moveInQueue(urlOf('fog'), 2)).rejects.toMatchObject({ code: 'quota_exceeded' })
  await loadQueue()
  expect(shown()).toBe('fog bell tide')
  isFull = false
  await moveInQueue(urlOf('fog'), 2)
  expect(shown()).toBe('bell tide fog')
})

test('a finished episode leaves the queue before the server knows', () => {
  leaveQueue(urlOf('bell'))
  leaveQueue(urlOf('gull'))
  expect(shown()).toBe('fog tide')
})

test.each([
  [1, 19, 0],
  [1, 21, 1],
  [1, 81, 1],
  [1, 131, 2],
  [0, 500, 3],
  [3, -50, 0],
])('item %p dragged to %p gets the index %p', (index, y, target) => {
  // The second item is twice as high as the others.
  const edges = [0, 40, 120, 140, 180]
  const boxes = edges.slice(1).map((bottom, n) => ({ top: edges[n] ?? 0, bottom }))
  expect(targetOf(boxes, index, y)).toBe(target)
})
