import { expect, test } from 'bun:test'
import { ApiError, call } from '../../src/web/api/client.ts'
import { reasonOf } from '../support/values.ts'
import { fakeServer } from './support/fake-server.ts'

test.each([
  ['a page', '<h1>Bad Gateway</h1>'],
  ['JSON of its own', '{"detail":"no upstream"}'],
  ['JSON with a field of the same name', '{"error":{"code":502},"message":"no upstream"}'],
  ['JSON that is no object', 'null'],
])('an error of a proxy whose body is %s is reported by its status', async (_, body) => {
  fakeServer(() => new Response(body, { status: 502, statusText: 'Bad Gateway' }))
  const error = await reasonOf(call('getServer'))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 502, code: 'unknown', message: '502 Bad Gateway' })
})
