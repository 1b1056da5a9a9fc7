import { describe, expect, test } from 'bun:test'
import type { UserId } from '../../src/domain/shared/ids.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const ACCOUNT = '/api/2/settings/ida/account.json'
const podcast = (n: number | string) => `/api/2/settings/ida/podcast.json?podcast=https://feeds.example/${n}`

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  return { app, ida }
}

/** A text that makes `{"k":"…"}` so many bytes long. */
const filling = (bytes: number) => 'a'.repeat(bytes - '{"k":""}'.length)

describe('one thing has at most 64 KiB of settings (D19)', () => {
  test('and not a byte more, whatever they come to little by little', async () => {
    const { ida } = await open()
    expect((await ida.post(ACCOUNT, { set: { k: filling(65_536) } })).status).toBe(200)
    expectRefusal(await ida.post(ACCOUNT, { set: { x: 1 } }), 413, 'payload_too_large')
    expectRefusal(await ida.post(ACCOUNT, { set: { k: filling(65_537) } }), 413, 'payload_too_large')
    expect((await ida.get(ACCOUNT)).json).toEqual({ k: filling(65_536) })
    expect((await ida.post(ACCOUNT, { set: { k: 'short', x: 1 } })).json).toEqual({ k: 'short', x: 1 })
  })

  test('so a body of more than 1 MiB is not even read', async () => {
    const { ida } = await open()
    const body = (bytes: number) => `{"remove":["a"],"x":"${'x'.repeat(bytes - 24)}"}`.padEnd(bytes)
    expect((await ida.post(ACCOUNT, body(1024 * 1024))).status).toBe(200)
    expectRefusal(await ida.post(ACCOUNT, body(1024 * 1024 + 1)), 413, 'payload_too_large')
  })
})

describe('one person has settings of at most 50,000 things', () => {
  const fill = ({ db }: TestApp, count: number) =>
    db.run(
      `INSERT INTO settings (user_id, scope, target, value)
       WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
       SELECT 1, 'podcast', 'https://feeds.example/' || n, '{"a":1}' FROM n`,
      [count],
    )

  test('and not one more, until something is removed', async () => {
    const { app, ida } = await open()
    fill(app, 49_999)
    expect((await ida.post(podcast('last'), { set: { a: 1 } })).status).toBe(200)
    for (const path of [podcast('more'), ACCOUNT])
      expectRefusal(await ida.post(path, { set: { a: 1 } }), 409, 'quota_exceeded')
    expect((await ida.post(podcast(7), { set: { b: 2 } })).json).toEqual({ a: 1, b: 2 })
    expect((await ida.post(podcast('more'), { remove: ['a'] })).status).toBe(200)
    expect((await ida.post(podcast(7), { remove: ['a', 'b'] })).text).toBe('{}')
    expect((await ida.post(ACCOUNT, { set: { a: 1 } })).json).toEqual({ a: 1 })
  })
})

describe('many changes at once', () => {
  test('lose nothing', async () => {
    const { ida } = await open()
    const keys = Array.from({ length: 60 }, (_, n) => `key${n}`)
    const answers = await Promise.all(keys.map((key) => ida.post(ACCOUNT, { set: { [key]: key } })))
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200))
    expect((await ida.get(ACCOUNT)).json).toEqual(Object.fromEntries(keys.map((key) => [key, key])))
    await Promise.all(keys.map((key, n) => ida.post(ACCOUNT, n % 2 === 0 ? { remove: [key] } : { set: { [key]: n } })))
    const left = keys.flatMap((key, n): [string, number][] => (n % 2 === 0 ? [] : [[key, n]]))
    expect((await ida.get(ACCOUNT)).json).toEqual(Object.fromEntries(left))
  })

  test('to a device that is being removed leave nothing behind', async () => {
    const { app } = await open()
    const { settings, devices } = app.services
    const id = 1 as UserId
    const phone = { scope: 'device', device: 'phone' }
    await devices.update(id, 'phone', {})
    const outcomes = await Promise.allSettled([
      settings.change(id, phone, { set: { a: 1 }, remove: [] }),
      devices.remove(id, 'phone'),
      settings.change(id, phone, { set: { b: 2 }, remove: [] }),
    ])
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: '{"a":1}' },
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: expect.objectContaining({ code: 'unknown_device' }) },
    ])
    expect(app.db.query('SELECT * FROM settings').all()).toEqual([])
  })
})
