import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CachedThumbnail, Thumbnail, ThumbnailCache } from '../domain/directory/artwork.ts'
import { forEachLimit } from '../domain/shared/concurrency.ts'
import type { Clock } from '../platform/clock.ts'
import { quickHash } from '../platform/crypto.ts'
import { codeOf } from '../platform/unknown.ts'

/** Seconds after which a further use is written to disk. */
const USE_NOTED_AFTER = 24 * 3600

/** Keeps thumbnails in files across restarts. Never rejects: if the disk fails, thumbnails are made again. */
export function createThumbnailCache(parts: {
  readonly folder: string
  /** Limit on the disk space of all thumbnails; the least recently used are removed first. */
  readonly maxBytes: number
  readonly clock: Clock
  /** Called with the first failure of the disk, and again only after the disk has worked in between. */
  readonly onFailure: (error: unknown) => void
}): ThumbnailCache {
  const { folder, maxBytes, clock, onFailure } = parts
  const files = openFolder(folder)
  const cached = new Map<string, ThumbnailFile>()
  let total = 0
  let opened: Promise<void> | undefined
  let isFailing = false

  /** Returns the result of `work`; `undefined` if the disk fails. */
  async function trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!isFailing) onFailure(error)
      isFailing = true
      return undefined
    }
  }

  async function readFolder(): Promise<true> {
    const found = await files.list()
    for (const file of found.toSorted((a, b) => a.usedAt - b.usedAt || a.madeAt - b.madeAt)) await note(file)
    await shrink()
    return true
  }

  async function begin(): Promise<void> {
    if ((await trying(readFolder)) === undefined) opened = undefined
  }

  /** Called on every use, so that commands without thumbnails leave the folder untouched. */
  function open(): Promise<void> {
    opened ??= begin()
    return opened
  }

  async function note(file: ThumbnailFile): Promise<void> {
    const before = cached.get(file.name)
    forget(before)
    cached.set(file.name, file)
    total += file.bytes
    if (before && before.tag !== file.tag) await files.remove(before)
  }

  function forget(file: ThumbnailFile | undefined): void {
    if (!file || cached.get(file.name) !== file) return
    cached.delete(file.name)
    total -= file.bytes
  }

  async function drop(file: ThumbnailFile): Promise<void> {
    forget(file)
    await files.remove(file)
  }

  async function shrink(): Promise<void> {
    for (const file of cached.values()) {
      if (total <= maxBytes) return
      await drop(file)
    }
  }

  async function use(file: ThumbnailFile): Promise<void> {
    const now = clock.seconds()
    const isNoted = Math.abs(now - file.usedAt) < USE_NOTED_AFTER
    const used = isNoted ? file : { ...file, usedAt: now }
    if (cached.get(file.name) !== file) return
    cached.delete(file.name)
    cached.set(file.name, used)
    if (!isNoted) await files.markUsed(used, now)
  }

  return {
    async get(name) {
      await open()
      const file = cached.get(name)
      if (!file) return undefined
      const thumbnail = await trying(async () => {
        const found = await files.read(file)
        if (!found) await drop(file)
        return found
      })
      if (thumbnail) await trying(() => use(file))
      return thumbnail
    },

    async set(name, thumbnail) {
      await open()
      await trying(async () => {
        await note(await files.write(name, thumbnail, clock.seconds()))
        await shrink()
        isFailing = false
      })
    },

    async delete(name) {
      await open()
      const file = cached.get(name)
      if (file) await trying(() => drop(file))
    },
  }
}

interface ThumbnailFile {
  readonly name: string
  readonly tag: string
  /** Space on disk, in whole blocks. */
  readonly bytes: number
  /** Unix seconds. */
  readonly madeAt: number
  readonly usedAt: number
}

const NAME = /^([0-9a-z-]+)\.([0-9a-z]+)\.webp$/
const HALF_WRITTEN = /^[0-9a-z-]+\.[0-9a-z]+\.webp\.new$/
const BLOCK_BYTES = 4096
const STATS_AT_ONCE = 16

/** The folder of thumbnails. File times hold when each was made and used; names contain a hash of the content. */
function openFolder(folder: string) {
  const pathOf = ({ name, tag }: Pick<ThumbnailFile, 'name' | 'tag'>) => join(folder, `${name}.${tag}.webp`)

  async function readEntry(file: string, name: string, tag: string): Promise<ThumbnailFile | undefined> {
    const found = await stat(join(folder, file)).catch(ignoreMissing)
    if (!found?.isFile()) return undefined
    const { size, mtimeMs, atimeMs } = found
    return { name, tag, bytes: blocks(size), madeAt: Math.floor(mtimeMs / 1000), usedAt: Math.floor(atimeMs / 1000) }
  }

  return {
    /** Lists the thumbnails. Creates a missing folder, and removes files that a crash has left half-written. */
    async list(): Promise<ThumbnailFile[]> {
      const files: ThumbnailFile[] = []
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await forEachLimit(await readdir(folder), STATS_AT_ONCE, async (entry) => {
        const [, name, tag] = NAME.exec(entry) ?? []
        if (name !== undefined && tag !== undefined) files.push(...[await readEntry(entry, name, tag)].filter(isFile))
        else if (HALF_WRITTEN.test(entry)) await rm(join(folder, entry), { force: true })
      })
      return files
    },

    async read(file: ThumbnailFile): Promise<CachedThumbnail | undefined> {
      const found = await readFile(pathOf(file)).catch(ignoreMissing)
      if (!found || quickHash(found) !== file.tag) return undefined
      return { bytes: new Uint8Array(found), tag: file.tag, madeAt: file.madeAt }
    },

    /** Writes under a temporary name first, so that a file under its final name is complete. */
    async write(name: string, { tag, bytes }: Thumbnail, now: number): Promise<ThumbnailFile> {
      const file = { name, tag, bytes: blocks(bytes.byteLength), madeAt: now, usedAt: now }
      const path = pathOf(file)
      const half = `${path}.new`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      try {
        await writeFile(half, bytes, { mode: 0o600 })
        await utimes(half, now, now)
        await rename(half, path)
      } catch (error) {
        await rm(half, { force: true }).catch(() => undefined)
        throw error
      }
      return file
    },

    markUsed: (file: ThumbnailFile, now: number) => utimes(pathOf(file), now, file.madeAt),
    remove: (file: ThumbnailFile) => rm(pathOf(file), { force: true }),
  }
}

function blocks(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) * BLOCK_BYTES
}

function isFile(file: ThumbnailFile | undefined): file is ThumbnailFile {
  return file !== undefined
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined
  throw error
}
