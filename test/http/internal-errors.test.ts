import { describe, expect, test } from 'bun:test'
import { createPasswordHasher } from '../../src/platform/password.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { basic, clientOf, signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

/** Ida, on a database that has lost its table of devices: as good as any fault of our own. */
async function open(base = '') {
  const settings = { log_level: 'debug', ...(base && { base_url: `http://localhost${base}` }) }
  const app = startTestApp({ settings })
  const ida = await signUp(app)
  app.db.run('ALTER TABLE devices RENAME TO lost')
  return { app, ida, repair: () => app.db.run('ALTER TABLE lost RENAME TO devices') }
}

/** What the log says, one object per line. */
const logged = ({ logs }: TestApp): unknown[] => logs.map((line) => JSON.parse(line))

const BROKEN: [method: string, path: string, body: unknown][] = [
  ['GET', '/api/2/devices/ida.json', undefined],
  ['POST', '/api/2/devices/ida/ida-pixel.json', { caption: 'Pixel' }],
  ['GET', '/subscriptions/ida/ida-pixel.txt', undefined],
  ['PUT', '/subscriptions/ida/ida-pixel.txt', 'https://feeds.example/a\n'],
  ['POST', '/api/2/subscriptions/ida/ida-pixel.json', { add: ['https://feeds.example/a'] }],
]

describe('a fault of our own', () => {
  test.each(BROKEN)('answers 500 and tells nothing but a reference: %s %s', async (method, path, body) => {
    const { ida } = await open()
    const answer = await ida.call(method, path, { body })
    expectRefusal(answer, 500, 'internal')
    expect(answer.text).toMatch(/"message":"internal error, noted in the server's log as [0-9a-f]{12}"/)
  })

  test.each(BROKEN)('is in the log once under that reference, with its cause: %s %s', async (method, path, body) => {
    const { app, ida } = await open()
    const { text } = await ida.call(method, path, { body })
    const reference = /log as ([0-9a-f]{12})/.exec(text)?.[1]
    expect(logged(app)).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: 'request failed',
        request_id: reference,
        method,
        error: expect.objectContaining({
          message: expect.stringContaining('devices'),
          stack: expect.stringContaining('devices'),
        }),
      }),
    ])
  })

  test.each(BROKEN)('is logged without the names of people and devices: %s %s', async (method, path, body) => {
    const { app, ida } = await open()
    await ida.call(method, path, { body })
    expect(logged(app)).toHaveLength(1)
    expect(logged(app)).not.toContainEqual(expect.objectContaining({ path: expect.stringContaining('ida') }))
  })

  test('changes nothing, and is over as soon as its cause is', async () => {
    const { ida, repair } = await open()
    const upload = { add: ['https://feeds.example/a'] }
    expectRefusal(await ida.post('/api/2/subscriptions/ida/phone.json', upload), 500, 'internal')
    repair()
    expect(await ida.get('/api/2/devices/ida.json')).toMatchObject({ status: 200, json: [] })
    expect(await ida.post('/api/2/subscriptions/ida/phone.json', upload)).toMatchObject({ status: 200 })
    expect(await ida.get('/subscriptions/ida/phone.txt')).toMatchObject({ text: 'https://feeds.example/a\n' })
  })

  test('may be a stored password hash nobody can read; it stays as secret as a good one', async () => {
    const app = startTestApp({ hasher: createPasswordHasher(), settings: { log_level: 'debug' } })
    const insert = `INSERT INTO users (username, username_key, password_hash, state, created_at) VALUES ('ida', 'ida', ?, 'active', 0)`
    app.db.run(insert, ['canary$hash'])
    const answer = await clientOf(app, basic('ida', 'seaglass')).get('/api/2/me')
    expectRefusal(answer, 500, 'internal')
    expect(logged(app)).toHaveLength(1)
    expect(app.logs.join('') + answer.text).not.toMatch(/canary|seaglass/)
  })
})

describe('a refusal', () => {
  test('is no fault, so the log says nothing of it', async () => {
    const app = startTestApp()
    const ida = await signUp(app)
    const anyone = clientOf(app)
    const answers = [
      await anyone.get('/api/2/me'),
      await anyone.get('/nowhere'),
      await anyone.post('/api/2/register', '{'),
      await ida.get('/api/2/devices/ole.json'),
      await ida.delete('/api/2/devices/ida/none.json'),
      await clientOf(app, basic('ida', 'wrong')).get('/api/2/me'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 400, 403, 404, 401])
    expect(logged(app)).toEqual([])
  })
})
