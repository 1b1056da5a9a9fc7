import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { openWire } from '../support/wire.ts'
import { startScene } from './support/scene.ts'

/** A figure of a process's memory, in MB: what it takes, or the most that it has ever taken. */
function memoryOf(pid: number, figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${figure}:\\s*(\\d+) kB`).exec(status)?.[1]) / 1024
}

test('long queries are answered', async () => {
  await using scene = await startScene()
  for (const [character, count] of [
    ['x', 15_000],
    ['é', 2500],
    ['🎙', 1200],
  ] as const) {
    const query = encodeURIComponent(character.repeat(count))
    expect(await scene.anyone.get(`/search.json?q=${query}`)).toMatchObject({ status: 200, json: [] })
    expect(await scene.anyone.get(`/api/2/search/all?q=${query}`)).toMatchObject({ status: 200 })
  }
  const long = await scene.anyone.get(`/api/2/data/podcast.json?url=https://a.example/${'x'.repeat(15_000)}`)
  expect(long.json).toMatchObject({ error: 'validation_failed', field: 'url' })
})

test('a head without end is cut off, and nobody else notices', async () => {
  await using scene = await startScene()
  using wire = await openWire(scene.server.port)
  wire.send(`GET /search.json?q=${'x'.repeat(1_000_000)}`)
  expect(await wire.until('\r\n\r\n')).toStartWith('HTTP/1.1 431 ')
  expect((await scene.ida.get('/healthz')).status).toBe(200)
})

describe.skipIf(!existsSync('/proc/self/status'))('little memory is taken', () => {
  test('by a thousand half-sent heads: 16 KiB each, and others are served', async () => {
    await using scene = await startScene()
    using wires = new DisposableStack()
    // What the first requests take is not the heads'.
    for (let n = 0; n < 200; n++) await scene.anyone.get('/search.json?q=x')
    const before = memoryOf(scene.server.pid, 'VmRSS')
    for (let n = 0; n < 1000; n++) {
      const wire = wires.use(await openWire(scene.server.port))
      wire.send(`GET /search.json?q=${'x'.repeat(n % 2 === 0 ? 60_000 : 15_000)}`)
    }
    for (let n = 0; n < 20; n++) expect((await scene.anyone.get('/search.json?q=x')).status).toBe(200)
    expect(memoryOf(scene.server.pid, 'VmRSS') - before).toBeLessThan(24)
  })

  test('by a body made to cost much when it is refused: the refusal does not contain it', async () => {
    // Whatever the environment says: this is what a development machine sets.
    await using scene = await startScene({ env: { NODE_ENV: 'development' } })
    const nested = (items: number) => `${'['.repeat(60)}[${'0,'.repeat(items)}0]${']'.repeat(60)}`
    const bodyOf = (items: number) => `{"old_password":${nested(items)},"new_password":"seaglass"}`
    const refused = await scene.ida.post('/api/2/me/password', bodyOf(9000))
    expect([refused.status, refused.json]).toMatchObject([400, { error: 'validation_failed', field: 'old_password' }])
    // Not even parsed.
    expect(await scene.ida.post('/api/2/me/password', bodyOf(2_000_000))).toMatchObject({ status: 413 })
    expect(memoryOf(scene.server.pid, 'VmHWM')).toBeLessThan(400)
  })
})
