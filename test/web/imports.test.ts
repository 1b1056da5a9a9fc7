import { afterEach, beforeEach, describe, expect, mock, test } from 'bun:test'
import {
  CHUNK,
  clearImport,
  continueImport,
  type ImportTarget,
  importJob,
  startImport,
  stopImport,
} from '../../src/web/store/imports.ts'
import { account } from '../../src/web/store/session.ts'
import { fakeServer, type Heard, refuse } from './support/fake-server.ts'

const feeds = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ url: `https://feeds.tidewater.example/${n}.xml`, title: '' }))

const PHONE: ImportTarget = { id: 'phone', caption: 'Phone', isNew: false }

function answer({ line }: Heard): unknown {
  if (line.includes('/sync-devices/')) return { synchronized: [], 'not-synchronized': [] }
  if (line.startsWith('GET')) return []
  return { timestamp: 1, update_urls: [] }
}

/** How many feeds each upload had. */
function uploads(heard: readonly Heard[]): number[] {
  return heard
    .filter(({ line }) => line === 'POST api/2/subscriptions/ida/phone.json')
    .map(({ body }) => JSON.stringify(body).split('https:').length - 1)
}

beforeEach(() => {
  account.value = { username: 'ida', email: '', is_admin: false, is_active: true, has_password: true }
})

afterEach(() => {
  mock.restore()
  clearImport()
})

describe('an import', () => {
  test.each([
    [1, [1]],
    [CHUNK, [CHUNK]],
    [CHUNK + 1, [CHUNK, 1]],
    [3 * CHUNK, [CHUNK, CHUNK, CHUNK]],
  ])('of %p feeds goes in uploads of %p', async (count, expected) => {
    const heard = fakeServer(answer)
    await startImport(PHONE, feeds(count))
    expect(uploads(heard)).toEqual(expected)
    expect(importJob.value).toMatchObject({ state: 'done', done: count, rejected: 0 })
  })

  test('brings the titles along that the list has', async () => {
    const heard = fakeServer(answer)
    const [a, b] = ['https://feeds.tidewater.example/a.xml', 'https://feeds.tidewater.example/b.xml']
    await startImport(PHONE, [
      { url: a, title: 'Harbour Talk' },
      { url: b, title: '' },
    ])
    expect(heard[0]?.body).toEqual({ add: [a, b], titles: { [a]: 'Harbour Talk' } })
  })

  test('makes a new device first', async () => {
    const heard = fakeServer(answer)
    await startImport({ ...PHONE, isNew: true }, feeds(1))
    expect(heard.slice(0, 2).map(({ line }) => line)).toEqual([
      'POST api/2/devices/ida/phone.json',
      'POST api/2/subscriptions/ida/phone.json',
    ])
    expect(heard[0]?.body).toEqual({ caption: 'Phone', type: 'other' })
  })

  test('counts what the server could not use, not what it wrote otherwise', async () => {
    fakeServer((request) =>
      request.line.startsWith('POST')
        ? {
            timestamp: 1,
            update_urls: [
              ['a', ''],
              ['b', 'https://b.example/'],
            ],
          }
        : answer(request),
    )
    await startImport(PHONE, feeds(CHUNK + 1))
    expect(importJob.value).toMatchObject({ state: 'done', rejected: 2 })
  })

  test('that is stopped finishes the upload under way, and goes on from there', async () => {
    const heard = fakeServer((request) => {
      if (uploads(heard).length === 2) stopImport()
      return answer(request)
    })
    await startImport(PHONE, feeds(3 * CHUNK))
    expect(importJob.value).toMatchObject({ state: 'stopped', done: 2 * CHUNK })
    mock.restore()
    const later = fakeServer(answer)
    await continueImport()
    expect(uploads(later)).toEqual([CHUNK])
    expect(importJob.value).toMatchObject({ state: 'done', done: 3 * CHUNK })
  })

  test('that fails keeps what is done and why it failed, and sends the rest later, the device made once', async () => {
    const heard = fakeServer((request) =>
      uploads(heard).length === 2 && request.line.startsWith('POST') ? refuse(503, 'unavailable') : answer(request),
    )
    await startImport({ ...PHONE, isNew: true }, feeds(2 * CHUNK))
    expect(importJob.value).toMatchObject({ state: 'failed', done: CHUNK, error: { code: 'unavailable' } })
    mock.restore()
    const later = fakeServer(answer)
    await continueImport()
    expect(later[0]?.line).toBe('POST api/2/subscriptions/ida/phone.json')
    expect(importJob.value).toMatchObject({ state: 'done', done: 2 * CHUNK })
    expect(importJob.value).not.toHaveProperty('error')
  })

  test('that is done can be neither stopped nor continued', async () => {
    fakeServer(answer)
    await startImport(PHONE, feeds(1))
    mock.restore()
    const later = fakeServer(answer)
    stopImport()
    await continueImport()
    expect(later).toEqual([])
    expect(importJob.value?.state).toBe('done')
  })

  test('is done although the lists cannot be fetched anew', async () => {
    fakeServer((request) => (request.line.startsWith('GET') ? refuse(500, 'internal') : answer(request)))
    await startImport(PHONE, feeds(1))
    expect(importJob.value?.state).toBe('done')
  })
})
