import { expect, test } from 'bun:test'
import { OLD_LISTS } from '../../support/old-lists.ts'
import { expectError } from '../error.ts'
import { A, B, DEVICES, OLD, openSync } from './scene.ts'

// lists.test.ts tests what all lists have in common.

const ODD = 'https://feeds.example/a?x=1&y=2'
const LIST = '/subscriptions/ida/phone'

test('the list of a device without a suffix is JSON (D40)', async () => {
  const { ida } = await openSync()
  await ida.put(`${LIST}.txt`, B)
  const { json, headers } = await ida.get(LIST)
  expect([json, headers.get('content-type')]).toEqual([[B], expect.stringMatching(/^application\/json/)])
})

test('an empty list is not the list of an unknown device (D38)', async () => {
  const { ida } = await openSync()
  await ida.put(`${LIST}.txt`, '')
  for (const [format, text] of Object.entries({ json: '[]', txt: '' })) {
    expect(await ida.get(`${LIST}.${format}`)).toMatchObject({ status: 200, text })
    expectError(await ida.get(`/subscriptions/ida/nobody.${format}`), 404, 'unknown_device')
  }
})

test('the list of a user as JSON is an array of podcast objects (D20, D39)', async () => {
  const { ida } = await openSync()
  await ida.put(`${LIST}.txt`, ODD)
  expect((await ida.get('/subscriptions/ida.json')).json).toMatchObject([
    { url: ODD, title: ODD, scaled_logo_url: '', subscribers: 1, subscribers_last_week: 1 },
  ])
})

test.each(['PUT', 'POST'])('%s replaces a list, dropping invalid and repeated URLs', async (method) => {
  const { ida, held } = await openSync()
  await ida.put(`${LIST}.json`, [OLD])
  const body = ['', ' ', A, 'ftp://x.example/', 'word', ` ${A} `, B]
  expect(await ida.call(method, `${LIST}.json`, { body })).toMatchObject({ status: 200, text: '' })
  expect(new Set(await held())).toEqual(new Set([A, B]))
})

test.each(OLD_LISTS)('accepts the OPML of an old program: %s', async (_, body) => {
  const { ida, held } = await openSync()
  expect(await ida.put(`${LIST}.OPML`, body)).toMatchObject({ status: 200, text: '' })
  expect(await held()).toEqual(['https://feeds.example/old?x=1&y=2'])
})

test.each([
  ['xml, which is not an upload format (D11)', 'xml', '<podcasts/>', 'invalid_format'],
  ['jsonp, even around a JSON list (D11)', 'jsonp', `["${A}"]`, 'invalid_format'],
  ['opml that is not OPML', 'opml', A, 'validation_failed'],
])('an upload changes nothing as %s', async (_, suffix, body, word) => {
  const { ida, held } = await openSync()
  await ida.put(`${LIST}.json`, [OLD])
  for (const method of ['PUT', 'POST'])
    for (const path of [LIST, '/subscriptions/ida/new']) {
      const answer = await ida.call(method, `${path}.${suffix}`, { body })
      expectError(answer, 400, word, word === 'validation_failed' ? 'body' : undefined)
    }
  expect(await held()).toEqual([OLD])
  expect(await ida.get(DEVICES)).toMatchObject({ json: [{ id: 'phone' }] })
})
