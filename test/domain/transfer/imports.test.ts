import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DomainError } from '../../../src/domain/shared/errors.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { createImports } from '../../../src/domain/transfer/imports.ts'
import type { ImportFiles, ImportSources } from '../../../src/domain/transfer/ports.ts'
import type { ImportRecord, ImportSource, SourcedRecord } from '../../../src/domain/transfer/records.ts'
import { systemRandom } from '../../../src/platform/crypto.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createImportFiles } from '../../../src/transfer/import-files.ts'
import { addUser, expectRefused } from '../../store/contract/fixtures.ts'
import { tempDirs } from '../../store/temp-dir.ts'
import { importScene, scriptedSource } from './import-scene.ts'

const FEEDS = Array.from({ length: 6 }, (_, n) => `https://many.example/${n}`)
const RECORDS: readonly ImportRecord[] = FEEDS.map((url) => ({ kind: 'feeds', device: 'phone', feeds: [{ url }] }))
const REQUEST = { from: 'https://pods.example', username: 'ida', password: 'correct horse' }

/**
 * A source that waits for `goOn` or an abort before record `at`, in its first run or in every run. `begun` resolves when
 * it has waited that many times.
 */
function heldSource(at: number, runs: 'first run' | 'every run') {
  const goOn = Promise.withResolvers<void>()
  const resumed: (string | undefined)[] = []
  let count = 0
  let next = Promise.withResolvers<void>()
  const source: ImportSource = {
    name: 'https://pods.example (ida)',
    async *records(resumeFrom, signal): AsyncGenerator<SourcedRecord> {
      resumed.push(resumeFrom)
      for await (const sourced of scriptedSource(RECORDS).records(resumeFrom, signal)) {
        if (sourced.cursor === String(at) && (runs === 'every run' || resumed.length === 1)) {
          count++
          next.resolve()
          next = Promise.withResolvers()
          await Promise.race([goOn.promise, aborted(signal)])
        }
        yield sourced
      }
    },
  }
  const begun = async (times: number) => {
    while (count < times) await next.promise
  }
  return { source, resumed, goOn: goOn.resolve, begun, count: () => count }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

const dirs = tempDirs()

interface OpenOptions {
  readonly sources?: Partial<ImportSources>
  readonly files?: Partial<ImportFiles>
  readonly maxBytes?: number
}

async function open(source: ImportSource, options: OpenOptions = {}) {
  const scene = await importScene()
  const folder = join(dirs.make(), 'imports')
  const lines: string[] = []
  const sources: ImportSources = {
    file: async () => ({ kind: 'script', source }),
    server: ({ from }) => ({ kind: 'server', key: `server ${from}`, source }),
    ...options.sources,
  }
  const parts = {
    ...{ store: scene.store.imports, importer: scene.importer, sources, background: scene.background },
    files: { ...createImportFiles(folder, systemRandom(), options.maxBytes), ...options.files },
    isOff: false,
    heldOf: scene.store.subscriptions.heldOf,
    clock: scene.clock,
    log: createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) }),
  }
  const held = async () => (await scene.store.subscriptions.listDevice(scene.user, 'phone')) ?? []
  return { ...scene, folder, lines, held, imports: createImports(parts), restarted: () => createImports(parts) }
}

async function* pieces(text: string) {
  yield Buffer.from(text)
}

const file = (text = 'content') => ({ name: 'old.json', pieces: pieces(text) })

/** An import that waits for its third record; `stop` interrupts it like a stopping server. */
async function openSlow(kind: 'server' | 'file', options: OpenOptions = {}) {
  const slow = heldSource(2, 'first run')
  const scene = await open(slow.source, options)
  const { imports, user } = scene
  const id = await (kind === 'server' ? imports.importServer(user, REQUEST) : imports.importFile(user, file()))
  await slow.begun(1)
  const stop = async () => {
    imports.stop()
    await imports.ended(id)
  }
  return { ...scene, slow, id, stop }
}

test('an import may start as soon as the previous one is reported as done', async () => {
  const removing = Promise.withResolvers<void>()
  const removed = Promise.withResolvers<void>()
  const remove = () => {
    removing.resolve()
    return removed.promise
  }
  const { imports, user } = await open(scriptedSource(RECORDS), { files: { remove } })
  const id = await imports.importFile(user, file())
  await removing.promise
  expect(await imports.get(user, id)).toMatchObject({ state: 'done' })
  const next = await imports.importServer(user, REQUEST)
  await imports.ended(next)
  removed.resolve()
  await imports.ended(id)
  expect(await imports.get(user, next)).toMatchObject({ state: 'done' })
})

describe('an import from a server', () => {
  test('is interrupted by a stop, and continues from there with its report', async () => {
    const { imports, restarted, user, held, slow, id, stop } = await openSlow('server')
    await stop()
    const interrupted = { state: 'interrupted', cursor: '1', endedAt: expect.any(Number) }
    expect(await imports.get(user, id)).toMatchObject(interrupted)
    await expectRefused(imports.importServer(user, REQUEST), 'unavailable')

    const next = restarted()
    await next.recover()
    expect(await next.get(user, id)).toMatchObject({ state: 'interrupted' })
    expect(await next.importServer(user, REQUEST)).toBe(id)
    await next.ended(id)
    expect(await next.get(user, id)).toMatchObject({
      state: 'done',
      error: '',
      report: { counts: { subscriptions: { imported: 6, present: 0, skipped: 0 } } },
    })
    expect(slow.resumed).toEqual([undefined, '1'])
    expect(await held()).toHaveLength(6)
  })

  test('continues after its process was killed', async () => {
    const { imports, restarted, user, db, store, held, slow, id } = await openSlow('server')
    await store.idle()
    // State left by the killed process.
    expect(db.query('SELECT state, cursor FROM imports').all()).toEqual([{ state: 'running', cursor: '1' }])
    const next = restarted()
    await next.recover()
    expect(await next.get(user, id)).toMatchObject({ state: 'interrupted', error: expect.stringContaining('stopped') })
    slow.goOn()
    await imports.ended(id)
    expect(await held()).toHaveLength(6)
  })

  test('from another server starts at the beginning, next to an interrupted one', async () => {
    const { restarted, user, slow, id, stop } = await openSlow('server')
    await stop()
    const next = restarted()
    const other = await next.importServer(user, { ...REQUEST, from: 'https://other.example' })
    await next.ended(other)
    expect((await next.list(user)).map(({ id: each, state }) => [each, state])).toEqual([
      [other, 'done'],
      [id, 'interrupted'],
    ])
    expect(slow.resumed).toEqual([undefined, undefined])
  })

  test('keeps its report and the imported data when it is cancelled', async () => {
    const { imports, user, held, id } = await openSlow('server')
    await imports.remove(user, id)
    expect(await imports.get(user, id)).toMatchObject({
      state: 'cancelled',
      report: { counts: { subscriptions: { imported: 2 } } },
    })
    expect(await held()).toHaveLength(2)
    await imports.remove(user, id)
    await expectRefused(imports.get(user, id), 'not_found')
  })

  test.each([
    [new DomainError('unavailable', 'the other server is gone'), 'interrupted', 'the other server is gone'],
    [new DomainError('validation_failed', 'it answers with a web page'), 'failed', 'it answers with a web page'],
    [new TypeError('a bug'), 'failed', 'internal error, noted in the log of the server'],
  ] as const)('reports why it ended: %s', async (error, state, message) => {
    const source: ImportSource = {
      name: 'x',
      async *records(resumeFrom, signal) {
        yield* scriptedSource(RECORDS.slice(0, 2)).records(resumeFrom, signal)
        throw error
      },
    }
    const { imports, user, lines } = await open(source)
    const id = await imports.importServer(user, REQUEST)
    await imports.ended(id)
    expect(await imports.get(user, id)).toMatchObject({
      ...{ state, error: message },
      report: { counts: { subscriptions: { imported: 2 } } },
    })
    expect(lines.some((line) => line.includes('an import failed'))).toBe(error instanceof TypeError)
    expect(lines.join()).not.toContain(REQUEST.password)
  })

  test('can be continued after the database could not be written', async () => {
    const { imports, restarted, user, db, background, slow, id } = await openSlow('server')
    db.run('PRAGMA query_only = ON')
    slow.goOn()
    await imports.ended(id)
    await background.idle()
    db.run('PRAGMA query_only = OFF')
    expect(db.query('SELECT state FROM imports').all()).toEqual([{ state: 'running' }])
    const next = restarted()
    // It is not reported as running for ever, even without a restart.
    expect(await next.importServer(user, REQUEST)).toBe(id)
    await next.ended(id)
    expect(await next.get(user, id)).toMatchObject({ state: 'done' })
  })
})

describe('an import from a file', () => {
  test('continues automatically after a restart, and its file is deleted at the end', async () => {
    const { imports, restarted, user, folder, held, id, stop } = await openSlow('file')
    await stop()
    expect(await imports.get(user, id)).toMatchObject({ state: 'running', label: 'old.json', hasFile: true })
    expect(readFileSync(join(folder, String(id)), 'utf8')).toBe('content')
    const next = restarted()
    await next.recover()
    await next.ended(id)
    expect(await next.get(user, id)).toMatchObject({ state: 'done' })
    expect(readdirSync(folder)).toEqual([])
    expect(await held()).toHaveLength(6)
  })

  test('fails after a restart if its file cannot be read any more', async () => {
    let looks = 0
    const sources = {
      file: async () => {
        // Twice before the restart.
        if (++looks > 2) throw new DomainError('validation_failed', 'no such kind')
        return { kind: 'script', source: heldSource(2, 'first run').source }
      },
    }
    const { imports, restarted, user, folder } = await open(scriptedSource([]), { sources })
    const id = await imports.importFile(user, file())
    imports.stop()
    await imports.ended(id)
    const next = restarted()
    await next.recover()
    expect(await next.get(user, id)).toMatchObject({ state: 'failed', error: 'no such kind' })
    expect(readdirSync(folder)).toEqual([])
  })

  async function* brokenPieces() {
    yield Buffer.from('con')
    throw new DomainError('invalid_json', 'the connection was closed before the end of the file')
  }
  const unreadable = () => Promise.reject(new DomainError('validation_failed', 'no such kind'))
  test.each<
    [string, OpenOptions, AsyncIterable<Uint8Array>, 'validation_failed' | 'payload_too_large' | 'invalid_json']
  >([
    ['cannot be read', { sources: { file: unreadable } }, pieces('content'), 'validation_failed'],
    ['is too large', { maxBytes: 6 }, pieces('content'), 'payload_too_large'],
    ['breaks off during its upload', {}, brokenPieces(), 'invalid_json'],
  ])('that %s leaves nothing behind', async (_what, options, sent, code) => {
    const { imports, user, folder } = await open(scriptedSource([]), options)
    await expectRefused(imports.importFile(user, { name: 'x', pieces: sent }), code)
    expect(readdirSync(folder)).toEqual([])
    expect(await imports.list(user)).toEqual([])
  })

  test('ends when its account is removed, and its file is deleted', async () => {
    const { imports, db, folder, slow, id } = await openSlow('file')
    db.run('DELETE FROM users')
    slow.goOn()
    await imports.ended(id)
    expect(readdirSync(folder)).toEqual([])
    expect(db.query('SELECT * FROM imports').all()).toEqual([])
  })

  test('has a label made from the name of its file, short and without control characters', async () => {
    const { imports, user } = await open(scriptedSource([]))
    const id = await imports.importFile(user, { ...file(), name: `\u001b[2J${'x'.repeat(300)}` })
    expect((await imports.get(user, id)).label).toBe(`[2J${'x'.repeat(97)}`)
    await imports.ended(id)
  })
})

describe('an import from a file, when the server ends', () => {
  /** Restarts the server after each of these ends. */
  async function restartedAfter(ends: readonly ('kill' | 'stop')[]) {
    const hanging = heldSource(0, 'every run')
    const scene = await open(hanging.source)
    const { restarted, user } = scene
    let imports = scene.imports
    const id = await imports.importFile(user, file())
    await hanging.begun(1)
    for (const [index, end] of ends.entries()) {
      if (end === 'stop') {
        imports.stop()
        await imports.ended(id)
      }
      imports = restarted()
      await imports.recover()
      if ((await imports.get(user, id)).state === 'running') await hanging.begun(index + 2)
    }
    return { ...scene, imports, hanging, id, found: await imports.get(user, id) }
  }

  test.each([
    [['kill'], 'running'],
    [['stop', 'stop', 'stop'], 'running'],
    [['kill', 'stop', 'stop'], 'running'],
    [['kill', 'kill'], 'interrupted'],
    [['kill', 'stop', 'kill'], 'interrupted'],
    [['stop', 'kill', 'kill'], 'interrupted'],
  ] as const)('by %p, is %s after the last start', async (ends, state) => {
    expect((await restartedAfter(ends)).found).toMatchObject({ state })
  })

  test('by two kills, waits for the user and says why', async () => {
    const { imports, user, id, found, hanging, folder } = await restartedAfter(['kill', 'kill'])
    expect(found.error).toContain('the server crashed twice during this import')
    expect(readdirSync(folder)).toEqual([String(id)])
    expect(await imports.importFile(user, file())).toBe(id)
    await hanging.begun(3)
    expect(await imports.get(user, id)).toMatchObject({ state: 'running', error: '' })
  })
})

describe('the limit of two running imports', () => {
  async function crowd(count: number) {
    const hanging = heldSource(0, 'every run')
    const scene = await open(hanging.source)
    const others = await Promise.all(Array.from({ length: count }, (_, n) => addUser(scene.store, `user${n}`)))
    return { ...scene, hanging, others: others as [UserId, UserId, ...UserId[]] }
  }

  /** Starts an upload for each user, which continues when `arrive` is called. */
  function sendSlowly(imports: ReturnType<typeof createImports>, users: readonly UserId[]) {
    return users.map((user) => {
      const rest = Promise.withResolvers<void>()
      const slowPieces = async function* () {
        yield Buffer.from('con')
        await rest.promise
        yield Buffer.from('tent')
      }
      const sent = imports.importFile(user, { name: 'slow.json', pieces: slowPieces() })
      return { sent, arrive: rest.resolve }
    })
  }

  test('refuses a third one until one ends', async () => {
    const { imports, user, others, hanging } = await crowd(2)
    const [first = 0] = await Promise.all(others.map((other) => imports.importFile(other, file())))
    await hanging.begun(2)
    await expectRefused(imports.importFile(user, file()), 'unavailable')
    await expectRefused(imports.importServer(user, REQUEST), 'unavailable')
    await imports.remove(others[0], first)
    await imports.importServer(user, REQUEST)
    await hanging.begun(3)
  })

  test('does not count files that are still being uploaded', async () => {
    const { imports, user, others, hanging } = await crowd(4)
    const slow = sendSlowly(imports, others)
    const id = await imports.importFile(user, file())
    await hanging.begun(1)
    expect(await imports.get(user, id)).toMatchObject({ state: 'running' })
    for (const { arrive } of slow) arrive()
    // All are accepted and queued.
    await Promise.all(slow.map(({ sent }) => sent))
    await hanging.begun(2)
    expect(hanging.count()).toBe(2)
    await imports.remove(user, id)
    await hanging.begun(3)
  })

  test('allows ten uploads at once, which do not delay an import from a server', async () => {
    const { imports, user, others } = await crowd(10)
    const slow = sendSlowly(imports, others)
    await expectRefused(imports.importFile(user, file()), 'unavailable')
    await imports.importServer(user, REQUEST)
    for (const { arrive } of slow) arrive()
    await Promise.all(slow.map(({ sent }) => sent))
  })

  test('lets a queued import be cancelled, and does not blame it for the end of the server', async () => {
    const { imports, restarted, others, hanging } = await crowd(4)
    const ids: number[] = []
    for (const { sent, arrive } of sendSlowly(imports, others)) {
      arrive()
      ids.push(await sent)
    }
    await hanging.begun(2)
    await imports.remove(others[3] as UserId, ids[3] ?? 0)
    for (const begun of [4, 5]) {
      await restarted().recover()
      await hanging.begun(begun)
    }
    const states = others.map(async (user, n) => (await imports.get(user, ids[n] ?? 0)).state)
    expect(await Promise.all(states)).toEqual(['interrupted', 'interrupted', 'running', 'cancelled'])
  })

  test('lets others displace an import from a server after 15 minutes, but not one from a file', async () => {
    const { imports, user, others, hanging, clock } = await crowd(3)
    const [ole, uma] = others
    const fromServer = await imports.importServer(ole, REQUEST)
    const fromFile = await imports.importFile(uma, file())
    await hanging.begun(2)
    clock.advance(15 * 60 - 1)
    await expectRefused(imports.importFile(user, file()), 'unavailable')
    clock.advance(1)
    await imports.importFile(user, file())
    await hanging.begun(3)
    const displaced = { state: 'interrupted', error: expect.stringContaining('other imports were waiting') }
    expect(await imports.get(ole, fromServer)).toMatchObject(displaced)
    clock.advance(3600)
    await expectRefused(imports.importServer(others[2] as UserId, REQUEST), 'unavailable')
    expect(await imports.get(uma, fromFile)).toMatchObject({ state: 'running' })
  })

  test('gives a user who asks twice at the moment of displacement one import', async () => {
    const { imports, user, others, hanging, clock } = await crowd(2)
    for (const other of others) await imports.importServer(other, REQUEST)
    await hanging.begun(2)
    clock.advance(3600)
    const outcomes = await Promise.allSettled([imports.importFile(user, file()), imports.importServer(user, REQUEST)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})

test('files without an import are deleted, except those being received', async () => {
  const { restarted, folder, clock, id, stop } = await openSlow('file')
  await stop()
  for (const name of ['99', 'partial-left', 'README']) writeFileSync(join(folder, name), 'x')
  const goOn = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const next = restarted()
  const received = createImportFiles(folder, systemRandom())
  async function* slowPieces() {
    yield Buffer.from('x')
    begun.resolve()
    await goOn.promise
  }
  const receiving = received.receive(slowPieces())
  await begun.promise
  await received.sweep(new Set([id]))
  const names = () => new Set(readdirSync(folder).map((name) => name.replace(/^partial-.*/, 'partial')))
  expect(names()).toEqual(new Set([String(id), 'README', 'partial']))
  goOn.resolve()
  await received.remove((await receiving).path)

  await next.sweep()
  expect(names()).toEqual(new Set([String(id), 'README']))
  clock.advance(31 * 24 * 3600)
  await next.sweep()
  // Its import continues after the next start.
  expect(names()).toEqual(new Set([String(id), 'README']))
})
