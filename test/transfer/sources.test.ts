import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createImportSources } from '../../src/transfer/sources.ts'
import { tempDirs } from '../store/temp-dir.ts'
import { FakeTimer } from '../support/clock.ts'

const HOUR = 3_600_000

const dirs = tempDirs()

/** Sources whose processes never answer. */
function scene() {
  const timer = new FakeTimer()
  const calls: string[] = []
  const sources = createImportSources({
    ...{ version: '1', importAllowPrivate: [], timer: timer.start },
    startReader: () => ({ send: () => undefined, processorMs: () => 0, kill: () => void calls.push('kill') }),
  })
  return { timer, calls, sources }
}

test('an import from a server ends after six hours, and can be resumed', async () => {
  const { timer, calls, sources } = scene()
  const { source } = sources.server({ from: 'https://old.example', username: 'ida', password: 'seaglass' })
  const reading = Array.fromAsync(source.records(undefined, new AbortController().signal))
  await timer.waited()
  timer.pass(6 * HOUR - 1)
  expect(calls).toEqual([])
  timer.pass(1)
  await expect(reading).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /^the import from old\.example reached its time limit; start the same import again to resume it/,
    ),
  })
  expect(calls).toContain('kill')
})

test('an import from a file ends after ten minutes without a record', async () => {
  const { timer, calls, sources } = scene()
  const path = join(dirs.make(), 'list.opml')
  writeFileSync(path, '<opml version="2.0"><body/></opml>')
  const { kind, source } = await sources.file(path, 'list.opml')
  expect(kind).toBe('opml')
  const reading = Array.fromAsync(source.records(undefined, new AbortController().signal))
  await timer.waited()
  timer.pass(HOUR / 6)
  const tooLate = { code: 'validation_failed', message: 'the file takes too long to read' }
  await expect(reading).rejects.toMatchObject(tooLate)
  expect(calls).toContain('kill')
})
