import { describe, expect, test } from 'bun:test'
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
])('%s answers a query of 10,000 characters', (_what, isSource) => {
  test.each([
    ['of one byte', 'x'],
    ['of Latin', 'é'],
    ['of Japanese', '港'],
    ['that are pictures', '🎙'],
  ])('%s', async (_case, character) => {
    using folder = emptyFolder()
    await using server = await start(folder.path, isSource)
    const query = encodeURIComponent(character.repeat(10_000))
    const anyone = server.client()
    expect(await anyone.get(`/search.json?q=${query}`)).toMatchObject({ status: 200, json: [] })
    expect(await anyone.get(`/api/2/search/all?q=${query}`)).toMatchObject({ status: 200 })
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
