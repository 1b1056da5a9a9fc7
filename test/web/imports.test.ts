import { afterEach, beforeEach, expect, mock, test } from 'bun:test'
import {
  CHUNK,
  clearImport,
  continueImport,
  importJob,
  startImport,
  stopImport,
} from '../../src/web/store/importing/list-import.ts'
import { account } from '../../src/web/store/session.ts'
import { errorResponse, fakeServer, type SentRequest } from './support/fake-server.ts'

const PHONE = { id: 'phone', caption: 'Phone', isNew: false }
const UPLOAD = 'POST api/2/subscriptions/ida/phone.json'

const feeds = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ url: `https://feeds.tidewater.example/${n}.xml`, title: '' }))

function answer({ line }: SentRequest): unknown {
  if (line.includes('/sync-devices/')) return { synchronized: [], 'not-synchronized': [] }
  return line.startsWith('GET') ? [] : { timestamp: 1, update_urls: [] }
}

/** The number of feeds in each upload. */
function uploads(requests: readonly SentRequest[]): number[] {
  return requests
    .filter(({ line }) => line === UPLOAD)
    .map(({ body }) => JSON.stringify(body).split('https:').length - 1)
}

beforeEach(() => {
  account.value = {
    username: 'ida',
    email: '',
    is_admin: false,
    is_active: true,
    has_password: true,
    has_second_factor: false,
  }
})

afterEach(() => {
  mock.restore()
  clearImport()
})

test('an import uploads a few hundred feeds at a time', async () => {
  const requests = fakeServer(answer)
  await startImport(PHONE, feeds(CHUNK + 1))
  expect(uploads(requests)).toEqual([CHUNK, 1])
  expect(importJob.value).toMatchObject({ state: 'done', done: CHUNK + 1, rejected: 0 })
})

test('a new device is created first, and titles of the list are uploaded', async () => {
  const requests = fakeServer(answer)
  const [a, b] = ['https://feeds.tidewater.example/a.xml', 'https://feeds.tidewater.example/b.xml']
  await startImport({ ...PHONE, isNew: true }, [
    { url: a, title: 'Harbour Talk' },
    { url: b, title: '' },
  ])
  expect(requests.slice(0, 2)).toEqual([
    { line: 'POST api/2/devices/ida/phone.json', body: { caption: 'Phone', type: 'other' } },
    { line: UPLOAD, body: { add: [a, b], titles: { [a]: 'Harbour Talk' } } },
  ])
})

test('feeds that the server could not use are counted, those that it normalized are not', async () => {
  const report = { timestamp: 1, update_urls: Object.entries({ a: '', b: 'https://b.example/' }) }
  fakeServer((request) => (request.line.startsWith('POST') ? report : answer(request)))
  await startImport(PHONE, feeds(CHUNK + 1))
  expect(importJob.value).toMatchObject({ state: 'done', rejected: 2 })
})

test('an import that is stopped finishes its upload, and can be continued', async () => {
  const requests = fakeServer((request) => {
    if (uploads(requests).length === 2) stopImport()
    return answer(request)
  })
  await startImport(PHONE, feeds(3 * CHUNK))
  expect(importJob.value).toMatchObject({ state: 'stopped', done: 2 * CHUNK })
  const later = fakeServer(answer)
  await continueImport()
  expect(uploads(later)).toEqual([CHUNK])
  expect(importJob.value).toMatchObject({ state: 'done', done: 3 * CHUNK })
})

test('an import that fails keeps its progress and the error, and does not create the device again', async () => {
  const requests = fakeServer((request) =>
    uploads(requests).length === 2 && request.line.startsWith('POST')
      ? errorResponse(503, 'unavailable')
      : answer(request),
  )
  await startImport({ ...PHONE, isNew: true }, feeds(2 * CHUNK))
  expect(importJob.value).toMatchObject({ state: 'failed', done: CHUNK, error: { code: 'unavailable' } })
  const later = fakeServer(answer)
  await continueImport()
  expect(later[0]?.line).toBe(UPLOAD)
  expect(importJob.value).toMatchObject({ state: 'done', done: 2 * CHUNK })
  expect(importJob.value).not.toHaveProperty('error')
})

test('an import is done even if the lists cannot be loaded again, and can then neither be stopped nor continued', async () => {
  fakeServer((request) => (request.line.startsWith('GET') ? errorResponse(500, 'internal') : answer(request)))
  await startImport(PHONE, feeds(1))
  const later = fakeServer(answer)
  stopImport()
  await continueImport()
  expect(later).toEqual([])
  expect(importJob.value?.state).toBe('done')
})
