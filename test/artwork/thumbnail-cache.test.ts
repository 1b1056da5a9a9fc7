import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createThumbnailCache } from '../../src/artwork/thumbnail-cache.ts'
import { quickHash } from '../../src/platform/crypto.ts'
import { tempDirs } from '../store/temp-dir.ts'
import { fakeClock } from '../support/clock.ts'

const dirs = tempDirs()

const BLOCK = 4096
const DAY = 24 * 3600

/** A thumbnail whose bytes repeat a text. */
function thumbnail(text: string, length = 1000) {
  const bytes = new Uint8Array(Buffer.alloc(length, text))
  return { bytes, tag: quickHash(bytes) }
}

function open({ folder = join(dirs.make(), 'artwork'), blocks = 100, clock = fakeClock() } = {}) {
  const failures: unknown[] = []
  const start = () =>
    createThumbnailCache({ folder, maxBytes: blocks * BLOCK, clock, onFailure: (error) => failures.push(error) })
  const cache = start()
  return {
    folder,
    clock,
    failures,
    cache,
    /** The same folder after a restart. */
    again: start,
    files: () => readdirSync(folder).sort(),
    pathOf: (name: string) => join(folder, readdirSync(folder).find((file) => file.startsWith(`${name}.`)) ?? '?'),
  }
}

const has = async (cache: ReturnType<typeof createThumbnailCache>, ...names: string[]) => {
  const found: boolean[] = []
  for (const name of names) found.push((await cache.get(name)) !== undefined)
  return found
}

describe('the cache of thumbnails', () => {
  test('returns what was stored, with its time', async () => {
    const { cache, clock } = open()
    const given = thumbnail('a')
    expect(await cache.get('a-64')).toBeUndefined()
    await cache.set('a-64', given)
    expect(await cache.get('a-64')).toEqual({ ...given, madeAt: clock.seconds() })
    expect(await cache.get('a-128')).toBeUndefined()
    await cache.delete('a-64')
    expect(await has(cache, 'a-64')).toEqual([false])
  })

  test('keeps only the last one of a name', async () => {
    const { cache, files } = open()
    for (const text of ['a', 'b', 'b']) await cache.set('a-64', thumbnail(text))
    expect(await cache.get('a-64')).toMatchObject(thumbnail('b'))
    expect(files()).toEqual([`a-64.${thumbnail('b').tag}.webp`])
  })

  test('survives a restart, including times, and is readable only by its owner', async () => {
    const { cache, again, clock, folder, pathOf } = open()
    await cache.set('a-64', thumbnail('a'))
    expect([folder, pathOf('a-64')].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(['700', '600'])
    const madeAt = clock.seconds()
    clock.advance(40 * DAY)
    expect(await again().get('a-64')).toEqual({ ...thumbnail('a'), madeAt })
  })
})

describe('the size of the cache is limited', () => {
  test('by deleting the least recently used thumbnails', async () => {
    const { cache, files } = open({ blocks: 3 })
    for (const name of ['a', 'b', 'c']) await cache.set(name, thumbnail(name))
    await cache.get('a')
    await cache.set('d', thumbnail('d'))
    expect(await has(cache, 'a', 'b', 'c', 'd')).toEqual([true, false, true, true])
    expect(files()).toHaveLength(3)
  })

  test('after a restart, too, as exactly as to a day', async () => {
    const { cache, again, clock, folder } = open({ blocks: 3 })
    for (const name of ['a', 'b', 'c']) {
      await cache.set(name, thumbnail(name))
      clock.advance(60)
    }
    clock.advance(2 * DAY)
    await cache.get('a')
    const later = again()
    await later.set('d', thumbnail('d'))
    expect(await has(later, 'a', 'b', 'c', 'd')).toEqual([true, false, true, true])
    expect(readdirSync(folder)).toHaveLength(3)
  })
})

describe('the cache survives', () => {
  test('the deletion of a file, of all files, or of the folder', async () => {
    const { cache, folder, pathOf, failures } = open()
    for (const name of ['a', 'b']) await cache.set(name, thumbnail(name))
    rmSync(pathOf('a'))
    expect(await has(cache, 'a', 'b')).toEqual([false, true])
    rmSync(folder, { recursive: true })
    expect(await has(cache, 'a', 'b')).toEqual([false, false])
    await cache.set('c', thumbnail('c'))
    expect(await has(cache, 'a', 'b', 'c')).toEqual([false, false, true])
    expect(failures).toEqual([])
  })

  test.each([
    ['is truncated', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['has a flipped bit', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 500 ? byte ^ 1 : byte)))],
  ])('a damaged file that %s: it is deleted, before and after a restart', async (_how, spoil) => {
    const { cache, again, pathOf, files, failures } = open()
    for (const later of [cache, again()]) {
      await later.set('a', thumbnail('a'))
      const path = pathOf('a')
      writeFileSync(path, spoil(readFileSync(path)))
      expect(await has(later, 'a')).toEqual([false])
      expect(files()).toEqual([])
    }
    expect(failures).toEqual([])
  })

  test('a crash while writing: the partial file is deleted', async () => {
    const { cache, again, folder, files } = open()
    await cache.set('a', thumbnail('a'))
    writeFileSync(join(folder, `b.${thumbnail('b').tag}.webp.new`), 'half')
    expect(await has(again(), 'a', 'b')).toEqual([true, false])
    expect(files()).toEqual([`a.${thumbnail('a').tag}.webp`])
  })

  test('a crash before the old file was deleted: the new one stays', async () => {
    const { again, folder, files } = open()
    mkdirSync(folder, { recursive: true })
    for (const [index, text] of ['old', 'new'].entries()) {
      const path = join(folder, `a.${thumbnail(text).tag}.webp`)
      writeFileSync(path, thumbnail(text).bytes)
      utimesSync(path, 1000 + index, 1000 + index)
    }
    expect(await again().get('a')).toMatchObject(thumbnail('new'))
    expect(files()).toEqual([`a.${thumbnail('new').tag}.webp`])
  })

  test('foreign files, and leaves them alone', async () => {
    const { cache, folder, files } = open({ blocks: 1 })
    mkdirSync(join(folder, 'a.1.webp'), { recursive: true })
    for (const name of ['README', 'a.webp', '.a.1.webp', 'A.1.webp', 'a.1.webp.old'])
      writeFileSync(join(folder, name), '')
    for (const name of ['x', 'y']) await cache.set(name, thumbnail(name))
    const others = ['.a.1.webp', 'A.1.webp', 'README', 'a.1.webp', 'a.1.webp.old', 'a.webp']
    expect(files()).toEqual([...others, `y.${thumbnail('y').tag}.webp`])
  })
})

describe('a disk that fails', () => {
  test('is reported once, and tried again', async () => {
    const parent = dirs.make()
    const folder = join(parent, 'artwork')
    // A file in place of the folder fails for every user, including root.
    writeFileSync(folder, '')
    const { cache, failures } = open({ folder })
    for (const name of ['a', 'b']) {
      await cache.set(name, thumbnail(name))
      expect(await has(cache, name)).toEqual([false])
    }
    await cache.delete('a')
    expect(failures).toHaveLength(1)
    rmSync(folder)
    await cache.set('a', thumbnail('a'))
    expect(await has(cache, 'a')).toEqual([true])
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
    await cache.set('b', thumbnail('b'))
    expect(failures).toHaveLength(2)
  })

  test('and is full leaves no partial file', async () => {
    const { cache, folder, failures, files } = open()
    await cache.set('a', thumbnail('a'))
    // A folder in place of the file cannot be replaced by a file.
    mkdirSync(join(folder, `b.${thumbnail('b').tag}.webp`, 'x'), { recursive: true })
    await cache.set('b', thumbnail('b'))
    expect(failures).toHaveLength(1)
    expect(files().filter((file) => file.endsWith('.new'))).toEqual([])
    expect(await has(cache, 'a', 'b')).toEqual([true, false])
  })
})
