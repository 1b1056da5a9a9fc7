import { afterEach, expect, mock, spyOn, test } from 'bun:test'
import { askEarly, firstRequests, takeEarly } from '../../src/web/api/early.ts'

const fetched = spyOn(globalThis, 'fetch')
const pageAge = spyOn(performance, 'now')

afterEach(() => mock.clearAllMocks())

function answerWith(respond: () => Promise<Response>): void {
  fetched.mockImplementation(Object.assign(respond, { preconnect: () => undefined }))
}

const HOME = ['api/2/me/podcasts', 'api/2/me/home']

test('Home requests its list while the script loads, if a user was signed in', () => {
  expect(firstRequests('/', true)).toEqual(['api/2/server', ...HOME])
  expect(firstRequests('/', false)).toEqual(['api/2/server'])
  expect(firstRequests('/devices', true)).toEqual(['api/2/server'])
})

test('an early response is used once', async () => {
  answerWith(async () => Response.json('early'))
  pageAge.mockReturnValue(500)
  askEarly(['api/2/server'])
  expect(await (await takeEarly('api/2/server'))?.json()).toBe('early')
  expect(takeEarly('api/2/server')).toBeUndefined()
  expect(takeEarly('api/2/me')).toBeUndefined()
  expect(fetched).toHaveBeenCalledTimes(1)
})

test('an old response is not used', () => {
  answerWith(async () => Response.json('early'))
  askEarly(['api/2/server'])
  pageAge.mockReturnValue(10_000)
  expect(takeEarly('api/2/server')).toBeUndefined()
})

test('an early failure is thrown to the caller that takes the response', async () => {
  answerWith(async () => await Promise.reject(new Error('offline')))
  pageAge.mockReturnValue(500)
  askEarly(['api/2/server'])
  expect(takeEarly('api/2/server')).rejects.toThrow('offline')
})
