import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { openWire } from '../support/wire.ts'
import { startScene } from './support/scene.ts'

/** Current (`VmRSS`) or highest (`VmHWM`) memory usage of a process, in MB. */
function memoryOf(pid: number, figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${figure}:\\s*(\\d+) kB`).exec(status)?.[1]) / 1024
}

const hasProc = existsSync('/proc/self/status')

test('long queries are answered, and a head that never ends is refused', async () => {
  await using scene = await startScene()
  for (const [character, count] of [
    ['x', 15_000],
    ['é', 2500],
    ['🎙', 1200],
  ] as const) {
    const query = encodeURIComponent(character.repeat(count))
    expect(await scene.anyone.get(`/search.json?q=${query}`)).toMatchObject({ status: 200, json: [] })
  }
  const long = await scene.anyone.get(`/api/2/data/podcast.json?url=https://a.example/${'x'.repeat(15_000)}`)
  expect(long.json).toMatchObject({ error: 'validation_failed', field: 'url' })
  using wire = await openWire(scene.server.port)
  wire.send(`GET /search.json?q=${'x'.repeat(1_000_000)}`)
  expect(await wire.until('\r\n\r\n')).toStartWith('HTTP/1.1 431 ')
  expect((await scene.ida.get('/healthz')).status).toBe(200)
})

test.skipIf(!hasProc)('a thousand half-sent heads take 16 KiB each, and other clients are served', async () => {
  await using scene = await startScene()
  using wires = new DisposableStack()
  // The first requests need memory of their own.
  for (let n = 0; n < 200; n++) await scene.anyone.get('/search.json?q=x')
  const before = memoryOf(scene.server.pid, 'VmRSS')
  for (let n = 0; n < 1000; n++) {
    const wire = wires.use(await openWire(scene.server.port))
    wire.send(`GET /search.json?q=${'x'.repeat(n % 2 === 0 ? 60_000 : 15_000)}`)
  }
  for (let n = 0; n < 20; n++) expect((await scene.anyone.get('/search.json?q=x')).status).toBe(200)
  expect(memoryOf(scene.server.pid, 'VmRSS') - before).toBeLessThan(24)
})

test.skipIf(!hasProc)('refusing an expensive body takes little memory', async () => {
  // As set on development machines; the server ignores it.
  await using scene = await startScene({ env: { NODE_ENV: 'development' } })
  const nested = (items: number) => `${'['.repeat(60)}[${'0,'.repeat(items)}0]${']'.repeat(60)}`
  const bodyOf = (items: number) => `{"old_password":${nested(items)},"new_password":"seaglass"}`
  const refused = await scene.ida.post('/api/2/me/password', bodyOf(9000))
  expect([refused.status, refused.json]).toMatchObject([400, { error: 'validation_failed', field: 'old_password' }])
  // Refused before it is parsed.
  expect(await scene.ida.post('/api/2/me/password', bodyOf(2_000_000))).toMatchObject({ status: 413 })
  expect(memoryOf(scene.server.pid, 'VmHWM')).toBeLessThan(400)
})
