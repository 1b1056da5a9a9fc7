import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { basic } from '../support/client.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'
import { openWire } from './support/wire.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')

const start = (cwd: string, isSource: boolean) =>
  startServer({ cwd, ...(isSource && { program: [process.execPath, MAIN], args: ['serve'] }) })

describe.each([
  ['the executable', false],
  ['the source', true],
])('%s answers a query of', (_what, isSource) => {
  test.each([
    ['15,000 characters of one byte', 'x', 15_000],
    ['2,500 characters of Latin', 'é', 2500],
    ['1,700 characters of Japanese', '港', 1700],
    ['1,200 pictures', '🎙', 1200],
  ])('%s', async (_case, character, count) => {
    using folder = emptyFolder()
    await using server = await start(folder.path, isSource)
    const query = encodeURIComponent(character.repeat(count))
    const anyone = server.client()
    expect(await anyone.get(`/search.json?q=${query}`)).toMatchObject({ status: 200, json: [] })
    expect(await anyone.get(`/api/2/search/all?q=${query}`)).toMatchObject({ status: 200 })
    if (count > 2048)
      expect((await anyone.get(`/api/2/data/podcast.json?url=https://a.example/${query}`)).json).toMatchObject({
        error: 'validation_failed',
        field: 'url',
      })
  })
})

test('a head without end is cut off, and nobody else notices', async () => {
  using folder = emptyFolder()
  await using server = await start(folder.path, false)
  using wire = await openWire(server.port)
  wire.send(`GET /search.json?q=${'x'.repeat(1_000_000)}`)
  expect(await wire.until('\r\n\r\n')).toStartWith('HTTP/1.1 431 ')
  expect((await server.client(basic('ida', 'x')).get('/healthz')).status).toBe(200)
})

/** MiB that a process has in memory. */
const memoryOf = (pid: number) =>
  Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

test('a thousand half-sent heads take no more memory than 16 KiB each, and others are served', async () => {
  using folder = emptyFolder()
  await using server = await start(folder.path, false)
  using wires = new DisposableStack()
  // What the first requests take is not the heads'.
  for (let n = 0; n < 200; n++) await server.client().get('/search.json?q=x')
  const before = memoryOf(server.pid)
  for (let n = 0; n < 1000; n++) {
    const wire = wires.use(await openWire(server.port))
    wire.send(`GET /search.json?q=${'x'.repeat(n % 2 === 0 ? 60_000 : 15_000)}`)
  }
  for (let n = 0; n < 20; n++) expect((await server.client().get('/search.json?q=x')).status).toBe(200)
  expect(memoryOf(server.pid) - before).toBeLessThan(24)
})
