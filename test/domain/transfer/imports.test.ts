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

/** A source that says when it is asked for its third record, and does not give it before it is told to. */
function slowSource() {
  const asked = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const resumed: (string | undefined)[] = []
  const source: ImportSource = {
    name: 'https://pods.example (ida)',
    async *records(resumeFrom, signal): AsyncGenerator<SourcedRecord> {
      resumed.push(resumeFrom)
      for await (const sourced of scriptedSource(RECORDS).records(resumeFrom, signal)) {
        if (sourced.cursor === '2' && resumed.length === 1) {
          asked.resolve()
          await Promise.race([goOn.promise, aborted(signal)])
        }
        yield sourced
      }
    },
  }
  return { source, asked: asked.promise, goOn: goOn.resolve, resumed }
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

test('an import may begin as soon as the one before is told to be done', async () => {
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
  test('that is stopped is interrupted, and the same one goes on where it was, with its report', async () => {
    const slow = slowSource()
    const { imports, restarted, user, held } = await open(slow.source)
    const id = await imports.importServer(user, REQUEST)
    await slow.asked
    imports.stop()
    await imports.ended(id)
    expect(await imports.get(user, id)).toMatchObject({
      state: 'interrupted',
      cursor: '1',
      endedAt: expect.any(Number),
    })
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

  test('of which the process was killed goes on as well', async () => {
    const slow = slowSource()
    const { imports, restarted, user, db, store, held } = await open(slow.source)
    const id = await imports.importServer(user, REQUEST)
    await slow.asked
    await store.idle()
    // What the killed process has left.
    const left = db.query('SELECT state, cursor FROM imports').all()
    expect(left).toEqual([{ state: 'running', cursor: '1' }])
    const next = restarted()
    await next.recover()
    expect(await next.get(user, id)).toMatchObject({ state: 'interrupted', error: expect.stringContaining('stopped') })
    slow.goOn()
    await imports.ended(id)
    expect(await held()).toHaveLength(6)
  })

  test('of another server starts at its beginning beside an interrupted one', async () => {
    const slow = slowSource()
    const { imports, restarted, user } = await open(slow.source)
    const id = await imports.importServer(user, REQUEST)
    await slow.asked
    imports.stop()
    await imports.ended(id)
    const next = restarted()
    const other = await next.importServer(user, { ...REQUEST, from: 'https://other.example' })
    await next.ended(other)
    expect((await next.list(user)).map(({ id: each, state }) => [each, state])).toEqual([
      [other, 'done'],
      [id, 'interrupted'],
    ])
    expect(slow.resumed).toEqual([undefined, undefined])
  })

  test('that is cancelled keeps its report, and what came over', async () => {
    const slow = slowSource()
    const { imports, user, held } = await open(slow.source)
    const id = await imports.importServer(user, REQUEST)
    await slow.asked
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
  ] as const)('tells why it ended: %s', async (error, state, message) => {
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

  test('nothing of the password is in the database', async () => {
    const { imports, user, db } = await open(scriptedSource(RECORDS))
    await imports.ended(await imports.importServer(user, REQUEST))
    expect(Buffer.from(db.serialize()).includes('correct horse')).toBe(false)
  })

  test('a database that cannot be written leaves it to the next time', async () => {
    const slow = slowSource()
    const { imports, restarted, user, db, background } = await open(slow.source)
    const id = await imports.importServer(user, REQUEST)
    await slow.asked
    db.run('PRAGMA query_only = ON')
    slow.goOn()
    await imports.ended(id)
    await background.idle()
    db.run('PRAGMA query_only = OFF')
    expect(db.query('SELECT state FROM imports').all()).toEqual([{ state: 'running' }])
    const next = restarted()
    // It is not said to be running for ever, even without a restart.
    expect(await next.importServer(user, REQUEST)).toBe(id)
    await next.ended(id)
    expect(await next.get(user, id)).toMatchObject({ state: 'done' })
  })
})

describe('an import from a file', () => {
  test('goes on by itself after a restart, and its file is gone in the end', async () => {
    const slow = slowSource()
    const { imports, restarted, user, folder, held } = await open(slow.source)
    const id = await imports.importFile(user, file())
    await slow.asked
    imports.stop()
    await imports.ended(id)
    expect(await imports.get(user, id)).toMatchObject({ state: 'running', label: 'old.json', hasFile: true })
    expect(readFileSync(join(folder, String(id)), 'utf8')).toBe('content')
    const next = restarted()
    await next.recover()
    await next.ended(id)
    expect(await next.get(user, id)).toMatchObject({ state: 'done' })
    expect(readdirSync(folder)).toEqual([])
    expect(await held()).toHaveLength(6)
  })

  test('is interrupted if its file is gone, and fails if that cannot be read any more', async () => {
    let looks = 0
    const slow = slowSource()
    const sources = {
      file: async () => {
        looks++
        // Twice before the restart.
        if (looks > 2) throw new DomainError('validation_failed', 'no such kind')
        return { kind: 'script', source: slow.source }
      },
    }
    const { imports, restarted, user, folder } = await open(slow.source, { sources })
    const id = await imports.importFile(user, file())
    await slow.asked
    imports.stop()
    await imports.ended(id)
    const next = restarted()
    await next.recover()
    expect(await next.get(user, id)).toMatchObject({ state: 'failed', error: 'no such kind' })
    expect(readdirSync(folder)).toEqual([])
  })

  test('that cannot be read leaves nothing', async () => {
    const sources = {
      file: async () => {
        throw new DomainError('validation_failed', 'no such kind')
      },
    }
    const { imports, user, folder } = await open(scriptedSource([]), { sources })
    await expectRefused(imports.importFile(user, file()), 'validation_failed')
    expect(readdirSync(folder)).toEqual([])
    expect(await imports.list(user)).toEqual([])
  })

  test('that is too large leaves nothing', async () => {
    const { imports, user, folder } = await open(scriptedSource([]), { maxBytes: 6 })
    await expectRefused(imports.importFile(user, file('content')), 'payload_too_large')
    expect(readdirSync(folder)).toEqual([])
  })

  test('that breaks off on its way leaves nothing', async () => {
    const broken = async function* () {
      yield Buffer.from('con')
      throw new DomainError('invalid_json', 'the file broke off')
    }
    const { imports, user, folder } = await open(scriptedSource([]))
    await expectRefused(imports.importFile(user, { name: 'x', pieces: broken() }), 'invalid_json')
    expect(readdirSync(folder)).toEqual([])
  })

  test('of an account that is removed meanwhile ends, without its file', async () => {
    const slow = slowSource()
    const { imports, user, db, folder } = await open(slow.source)
    const id = await imports.importFile(user, file())
    await slow.asked
    db.run('DELETE FROM users')
    slow.goOn()
    await imports.ended(id)
    expect(readdirSync(folder)).toEqual([])
    expect(db.query('SELECT * FROM imports').all()).toEqual([])
  })

  test('names of files are no paths, and nothing for terminals', async () => {
    const { imports, user } = await open(scriptedSource([]))
    const id = await imports.importFile(user, { ...file(), name: `\u001b[2J${'x'.repeat(300)}` })
    expect((await imports.get(user, id)).label).toBe(`[2J${'x'.repeat(97)}`)
    await imports.ended(id)
  })
})

/** A source that never gives its first record. `begun` settles when it has been opened so often. */
function hangingSource() {
  let count = 0
  let noteBegun = Promise.withResolvers<void>()
  const source: ImportSource = {
    name: 'https://pods.example (ida)',
    async *records(_resumeFrom, signal): AsyncGenerator<SourcedRecord> {
      count++
      noteBegun.resolve()
      noteBegun = Promise.withResolvers()
      await aborted(signal)
      yield* []
    },
  }
  return {
    source,
    async begun(times: number): Promise<void> {
      while (count < times) await noteBegun.promise
    },
    count: () => count,
  }
}

describe('an import from a file during which the server ends', () => {
  /** Starts the server once more after each of these ends. */
  async function restartedAfter(ends: readonly ('kill' | 'stop')[]) {
    const hanging = hangingSource()
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
  ] as const)('(%p) is %s after the last start', async (ends, state) => {
    expect((await restartedAfter(ends)).found).toMatchObject({ state })
  })

  test('twice goes on when the user asks for that, and says why it did not before', async () => {
    const { imports, user, id, found, hanging, folder } = await restartedAfter(['kill', 'kill'])
    expect(found.error).toContain('the server ended twice during this import')
    expect(readdirSync(folder)).toEqual([String(id)])
    expect(await imports.importFile(user, file())).toBe(id)
    await hanging.begun(3)
    expect(await imports.get(user, id)).toMatchObject({ state: 'running', error: '' })
  })
})

describe('two imports run at once', () => {
  async function crowd(count: number) {
    const hanging = hangingSource()
    const scene = await open(hanging.source)
    const others = await Promise.all(Array.from({ length: count }, (_, n) => addUser(scene.store, `user${n}`)))
    return { ...scene, hanging, others }
  }

  /** A file of which nothing more arrives before `arrive` is called. */
  function slowFile() {
    const rest = Promise.withResolvers<void>()
    const sent = async function* () {
      yield Buffer.from('con')
      await rest.promise
      yield Buffer.from('tent')
    }
    return { file: { name: 'slow.json', pieces: sent() }, arrive: rest.resolve }
  }

  test('and a third one is refused, until one ends', async () => {
    const { imports, user, others, hanging } = await crowd(2)
    const [first = 0] = await Promise.all(others.map((other) => imports.importFile(other, file())))
    await hanging.begun(2)
    await expectRefused(imports.importFile(user, file()), 'unavailable')
    await expectRefused(imports.importServer(user, REQUEST), 'unavailable')
    await imports.remove(others[0] as UserId, first)
    await imports.importServer(user, REQUEST)
    await hanging.begun(3)
  })

  test('but files that are still being sent do not count', async () => {
    const { imports, user, others, hanging } = await crowd(4)
    const slow = others.map((other) => ({ ...slowFile(), other }))
    const sent = slow.map(({ other, file: each }) => imports.importFile(other, each))
    const id = await imports.importFile(user, file())
    await hanging.begun(1)
    expect(await imports.get(user, id)).toMatchObject({ state: 'running' })
    for (const { arrive } of slow) arrive()
    // All are taken, and wait for their turn.
    await Promise.all(sent)
    await hanging.begun(2)
    expect(hanging.count()).toBe(2)
    await imports.remove(user, id)
    await hanging.begun(3)
  })

  test('and more than ten files are not received at once, which keeps no import from a server waiting', async () => {
    const { imports, user, others } = await crowd(10)
    const slow = others.map(slowFile)
    const sent = Promise.all(others.map((other, n) => imports.importFile(other, slow[n]?.file ?? file())))
    await expectRefused(imports.importFile(user, file()), 'unavailable')
    await imports.importServer(user, REQUEST)
    for (const { arrive } of slow) arrive()
    await sent
  })

  test('one that waits for its turn can be cancelled, and is not suspected of ending the server', async () => {
    const { imports, restarted, others, hanging } = await crowd(4)
    const slow = others.map((other) => ({ ...slowFile(), other }))
    const sent = slow.map(({ other, file: each }) => imports.importFile(other, each))
    const ids: number[] = []
    for (const [n, { arrive }] of slow.entries()) {
      arrive()
      ids.push((await sent[n]) ?? 0)
    }
    const [ole, uma, ask, una] = others as [UserId, UserId, UserId, UserId]
    await hanging.begun(2)
    await imports.remove(una, ids[3] ?? 0)
    for (const begun of [4, 5]) {
      await restarted().recover()
      await hanging.begun(begun)
    }
    const states = [ole, uma, ask, una].map(async (user, n) => (await imports.get(user, ids[n] ?? 0)).state)
    expect(await Promise.all(states)).toEqual(['interrupted', 'interrupted', 'running', 'cancelled'])
  })

  test('one from a server makes room after a quarter of an hour, one from a file does not', async () => {
    const { imports, user, others, hanging, clock } = await crowd(3)
    const [ole, uma, ask] = others as [UserId, UserId, UserId]
    const fromServer = await imports.importServer(ole, REQUEST)
    const fromFile = await imports.importFile(uma, file())
    await hanging.begun(2)
    clock.advance(15 * 60 - 1)
    await expectRefused(imports.importFile(user, file()), 'unavailable')
    clock.advance(1)
    await imports.importFile(user, file())
    await hanging.begun(3)
    expect(await imports.get(ole, fromServer)).toMatchObject({
      ...{ state: 'interrupted', error: expect.stringContaining('others were waiting') },
    })
    clock.advance(3600)
    await expectRefused(imports.importServer(ask, REQUEST), 'unavailable')
    expect(await imports.get(uma, fromFile)).toMatchObject({ state: 'running' })
  })

  test('and a user who asks twice at the moment one makes room has one import', async () => {
    const { imports, user, others, hanging, clock } = await crowd(2)
    for (const other of others) await imports.importServer(other, REQUEST)
    await hanging.begun(2)
    clock.advance(3600)
    const outcomes = await Promise.allSettled([imports.importFile(user, file()), imports.importServer(user, REQUEST)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})

test('files that no import waits for are swept away, but not one that is being received', async () => {
  const slow = slowSource()
  const { imports, restarted, user, folder, clock } = await open(slow.source)
  const id = await imports.importFile(user, file())
  await slow.asked
  imports.stop()
  await imports.ended(id)
  for (const name of ['99', 'partial-left', 'README']) writeFileSync(join(folder, name), 'x')
  const goOn = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const next = restarted()
  const received = createImportFiles(folder, systemRandom())
  const receiving = received.receive(
    (async function* () {
      yield Buffer.from('x')
      begun.resolve()
      await goOn.promise
    })(),
  )
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
  // It goes on with the next start.
  expect(names()).toEqual(new Set([String(id), 'README']))
})

test('sweeping is no fault where there is no folder yet', async () => {
  const { imports } = await open(scriptedSource([]))
  await imports.sweep()
})
