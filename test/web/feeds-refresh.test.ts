import './support/browser-globals.ts'
import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { setLanguage } from '../../src/web/locales/index.ts'
import { followRefresh, loadRefresh, refresh, startRefresh } from '../../src/web/pages/admin-feeds/refresh.ts'
import { toasts } from '../../src/web/store/toasts.ts'
import { errorResponse, fakeServer } from './support/fake-server.ts'

const RUNNING = { running: true, done: 1, failed: 0, total: 4 }
const DONE = { running: false, done: 4, failed: 1, total: 4 }

let ends = 0
const onEnd = () => void ends++

beforeAll(() => setLanguage('en'))

beforeEach(() => {
  refresh.value = undefined
  toasts.value = []
  ends = 0
})

test('a refresh is shown until it ends, which is reported once', async () => {
  fakeServer(() => ({ status: 'started', feeds: 4 }))
  await startRefresh()
  expect(refresh.value).toEqual({ ...RUNNING, done: 0 })
  await followRefresh({ topic: 'refresh', ...RUNNING }, onEnd)
  expect([refresh.value, ends]).toEqual([RUNNING, 0])
  for (let n = 0; n < 2; n++) await followRefresh({ topic: 'refresh', ...DONE }, onEnd)
  expect([refresh.value, ends, toasts.value.length]).toEqual([undefined, 1, 1])
})

test('a running refresh is found, and its end is noticed after missed hints', async () => {
  fakeServer(() => RUNNING)
  await loadRefresh()
  expect(refresh.value).toMatchObject(RUNNING)
  fakeServer(() => errorResponse(503, 'unavailable'))
  await followRefresh({ topic: 'all' }, onEnd)
  expect(refresh.value).toMatchObject(RUNNING)
  fakeServer(() => ({ ...DONE, failed: 0 }))
  await followRefresh({ topic: 'devices' }, onEnd)
  await followRefresh({ topic: 'all' }, onEnd)
  expect([refresh.value, ends, toasts.value.length]).toEqual([undefined, 1, 1])
})
