import { expect, test } from 'bun:test'
import { OLD_LISTS } from '../../support/old-lists.ts'
import { expectError } from '../error.ts'
import { A, B, DEVICES, OLD, openSync } from './scene.ts'

/** What every list has in common is in lists.test.ts. */

const ODD = 'https://feeds.example/a?x=1&y=2'
const LIST = '/subscriptions/ida/phone'
const DESK = '/subscriptions/ida/desk'

test('the list of a device without a suffix is JSON (D40)', async () => {
  const { ida } = await openSync()
  await ida.put(`${DESK}.txt`, B)
  const { json, headers } = await ida.get(DESK)
  expect([json, headers.get('content-type')]).toEqual([[B], expect.stringMatching(/^application\/json/)])
})

test.each([
  ['json', '[]'],
  ['txt', ''],
])('a list that is empty is %s %j; one that does not exist is not found (D38)', async (format, text) => {
  const { ida } = await openSync()
  await ida.put(`${DESK}.txt`, '')
  expect(await ida.get(`${DESK}.${format}`)).toMatchObject({ status: 200, text })
  expectError(await ida.get(`/subscriptions/ida/nobody.${format}`), 404, 'unknown_device')
})

test('the list of a user as JSON is an array of podcast objects (D20, D39)', async () => {
  const { ida } = await openSync()
  await ida.put(`${LIST}.txt`, ODD)
  expect((await ida.get('/subscriptions/ida.json')).json).toMatchObject([
    { url: ODD, title: ODD, scaled_logo_url: '', subscribers: 1, subscribers_last_week: 1 },
  ])
})

test.each(['PUT', 'POST'])(
  'a list uploaded by %s replaces what there was, without unusable and repeated URLs',
  async (method) => {
    const { ida, held } = await openSync()
    await ida.put(`${LIST}.json`, [OLD])
    const answer = await ida.call(method, `${LIST}.json`, {
      body: ['', ' ', A, 'ftp://x.example/', 'word', ` ${A} `, B],
    })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(new Set(await held())).toEqual(new Set([A, B]))
  },
)

test.each(OLD_LISTS)('an uploaded list may be OPML of an old program: %s', async (_, body) => {
  const { ida, held } = await openSync()
  expect(await ida.put(`${LIST}.OPML`, body)).toMatchObject({ status: 200, text: '' })
  expect(await held()).toEqual(['https://feeds.example/old?x=1&y=2'])
})

test.each([
  ['xml, which is no format for upload (D11)', 'xml', '<podcasts/>', 'invalid_format'],
  ['jsonp, though a JSON list is inside (D11)', 'jsonp', `["${A}"]`, 'invalid_format'],
  ['no OPML at all', 'opml', A, 'validation_failed'],
])('an uploaded list changes nothing when it cannot be read: %s', async (_, suffix, body, word) => {
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
