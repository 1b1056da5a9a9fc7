import { expect, test } from 'bun:test'
import { countedDatabase } from '../../support/database.ts'
import { expectError } from '../error.ts'
import { A, B, CHANGES, DEVICES, EPISODES, GROUPS, openSync, PHONE } from './scene.ts'

/** The fake clock's time. */
const NOW = '2025-03-02T10:00:00'
const NEW = { id: 'phone', caption: 'phone', type: 'other', subscriptions: 0, last_contact: NOW }
const ACTION = { podcast: A, episode: 'https://cdn.example/1', action: 'new', device: 'phone' }

test.each(['POST', 'PUT'])('%s answers with an empty body: mygpoclient takes any text for an error', async (method) => {
  const { ida, devices } = await openSync()
  const answer = await ida.call(method, PHONE, { body: { caption: 'Phone', type: 'laptop' } })
  expect([answer.status, answer.text]).toEqual([200, ''])
  await ida.post(CHANGES, { add: [A, B] })
  await ida.post(CHANGES, { remove: [A] })
  expect(await devices()).toEqual([{ ...NEW, caption: 'Phone', type: 'laptop', subscriptions: 1 }])
})

test.each<[string, unknown, object]>([
  ['no body', '', NEW],
  ['null for caption and type', { caption: null, type: null }, NEW],
  ['the type tablet (D30)', { type: 'tablet' }, { type: 'mobile' }],
  ['white space around the caption', { caption: '  Idas Handy \n' }, { caption: 'Idas Handy' }],
  ['a caption of 101 characters', { caption: '🎧'.repeat(101) }, { caption: '🎧'.repeat(100) }],
])('a request with %s creates the device', async (_, body, expected) => {
  const { ida, devices } = await openSync()
  expect(await ida.post(PHONE, body)).toMatchObject({ status: 200, text: '' })
  expect(await devices()).toEqual([{ ...NEW, ...expected }])
})

test('null leaves the caption or type unchanged', async () => {
  const { ida, devices } = await openSync()
  await ida.post(PHONE, { caption: 'Old', type: 'server' })
  await ida.post(PHONE, { caption: null, type: 'laptop' })
  await ida.post(PHONE, { caption: 'Phone', type: null })
  expect(await devices()).toEqual([{ ...NEW, caption: 'Phone', type: 'laptop' }])
})

test.each([
  ['a blank caption', { caption: ' \t' }, 'caption'],
  ['an unknown type', { caption: 'Changed', type: 'toaster' }, 'type'],
])('%s is refused and changes nothing', async (_, body, field) => {
  const { ida, devices } = await openSync()
  await ida.post(PHONE, { caption: 'Old', type: 'server' })
  for (const path of [PHONE, '/api/2/devices/ida/other.json'])
    expectError(await ida.post(path, body), 400, 'validation_failed', field)
  expect(await devices()).toEqual([{ ...NEW, caption: 'Old', type: 'server' }])
})

test.each([
  ['PUT', '/api/2/devices/ida/a,b.json', {}],
  ['DELETE', '/api/2/devices/ida/a%2Fb.json', undefined],
  ['POST', '/api/2/subscriptions/ida/a%00b.json', { add: [A] }],
  ['GET', '/api/2/subscriptions/ida/%20phone.json', undefined],
  ['PUT', '/subscriptions/ida/%F0%9F%8E%A7.txt', A],
  ['GET', `/subscriptions/ida/${'x'.repeat(65)}.txt`, undefined],
] as const)('refuses an invalid device ID: %s %s (D13)', async (method, path, body) => {
  const { ida, devices } = await openSync()
  expectError(await ida.call(method, path, { body }), 400, 'validation_failed', 'device')
  expect(await devices()).toEqual([])
})

test('deleting a device removes its subscriptions, not its actions; the next upload creates it again', async () => {
  const { ida, devices, actions } = await openSync()
  await ida.post(PHONE, { caption: 'Old', type: 'server' })
  await ida.post(CHANGES, { add: [A] })
  await ida.post(EPISODES, [ACTION])
  expect(await ida.delete(PHONE)).toMatchObject({ status: 200, json: { status: 'ok' } })
  expectError(await ida.delete(PHONE), 404, 'unknown_device')
  expect(await devices()).toEqual([])
  expectError(await ida.get('/subscriptions/ida/phone.txt'), 404, 'unknown_device')
  expect(await actions('?device=phone')).toMatchObject([ACTION])
  await ida.post(CHANGES, { add: [] })
  expect(await devices()).toEqual([NEW])
})

// activity.test.ts tests which requests count as use of a device.
test('last uses of devices are written every five minutes, once per device, and only if they changed', async () => {
  const { db, during } = countedDatabase()
  const { app, ida } = await openSync({ db, settings: { rate_limit: 'false' } })
  const job = app.jobs.find(({ name }) => name === 'last seen')
  expect(job?.pattern).toBe('*/5 * * * *')
  for (const device of ['phone', 'desk']) await ida.post(`/api/2/devices/ida/${device}.json`, {})
  const updates = async () => {
    const statements = await during(async () => {
      job?.run()
      await app.idle()
    })
    return statements.filter((sql) => sql.startsWith('UPDATE'))
  }
  await updates()
  app.clock.advance(3600)
  await ida.post(GROUPS, { synchronize: [['phone', 'desk']] })
  await app.idle()
  expect(await updates()).toEqual([])
  for (let n = 0; n < 10; n++) await ida.get('/subscriptions/ida/phone.json')
  await ida.get('/subscriptions/ida/desk.json')
  expect(await updates()).toHaveLength(2)
  expect(await updates()).toEqual([])
  const last_contact = '2025-03-02T11:00:00'
  expect((await ida.get(DEVICES)).json).toMatchObject([{ last_contact }, { last_contact }])
})
