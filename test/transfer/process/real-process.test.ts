import { describe, expect, test } from 'bun:test'
import { platform } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { ImportSource } from '../../../src/domain/transfer/records.ts'
import { READ_IMPORTS, startChild } from '../../../src/processes/start-process.ts'
import { createImportSources } from '../../../src/transfer/sources.ts'
import { FakeTimer } from '../../support/clock.ts'
import { startRawServer } from '../../support/web-server.ts'
import { databaseAt } from '../files/database-files.ts'
import { gpodder } from '../files/databases.ts'

const HOG = fileURLToPath(new URL('./hog.ts', import.meta.url))
const never = new AbortController().signal

const sources = createImportSources({
  ...{ version: '1', importAllowPrivate: ['127.0.0.1'], timer: new FakeTimer().start },
  startReader: startChild(READ_IMPORTS),
})

const kindsOf = async (source: ImportSource) =>
  (await Array.fromAsync(source.records(undefined, never))).map(({ record }) => record.kind)

const accountAt = (port: number) => ({ from: `http://127.0.0.1:${port}`, username: 'ida', password: 'seaglass' })

describe('the import reader', () => {
  test('reads a file', async () => {
    const { kind, source } = await sources.file(databaseAt(gpodder), 'Database')
    expect(kind).toBe('database')
    expect((await kindsOf(source)).slice(0, 3)).toEqual(['source', 'device', 'feeds'])
  })

  test('ends with its connections when the import is cancelled', async () => {
    const asked = Promise.withResolvers<void>()
    await using silent = await startRawServer(() => asked.resolve())
    const abort = new AbortController()
    const { source } = sources.server(accountAt(silent.port))
    const reading = Array.fromAsync(source.records(undefined, abort.signal))
    await asked.promise
    abort.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    await silent.closed
  })
})

describe.if(platform() === 'linux')('on Linux the memory guard', () => {
  test.each(['buffers', 'one buffer', 'objects', 'texts'])(
    'kills a process that allocates %s without end',
    async (way) => {
      const child = Bun.spawn([process.execPath, HOG, way], { stdio: ['ignore', 'pipe', 'pipe'] })
      const [, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
      expect({ out, err, signal: child.signalCode }).toEqual({ out: '', err: '', signal: 'SIGKILL' })
    },
  )
})
