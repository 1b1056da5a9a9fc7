import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CachedThumbnail, Thumbnail } from '../domain/directory/artwork-ports.ts'
import { forEachLimit } from '../domain/shared/concurrency.ts'
import { quickHash } from '../platform/crypto.ts'

/** A thumbnail that is on the disk, or was. Its file is `<name>.<tag>.webp`. */
export interface ThumbnailFile {
  readonly name: string
  readonly tag: string
  /** On the disk. */
  readonly bytes: number
  /** Unix seconds. */
  readonly madeAt: number
  readonly usedAt: number
}

/**
 * The folder of thumbnails. When one was made and when it was last used are the times of its file; what it must hold is in its name, so
 * that one that is cut off or spoiled shows. Everything rejects with the system's errors.
 */
export interface ThumbnailFiles {
  /** Those that are there, and the folder itself if it is not. Removes what a crash has left half-written. */
  list(): Promise<ThumbnailFile[]>
  /** Undefined when it is gone or spoiled. */
  read(file: ThumbnailFile): Promise<CachedThumbnail | undefined>
  /** Under its own name only when all of it is there. */
  write(name: string, thumbnail: Thumbnail, now: number): Promise<ThumbnailFile>
  markUsed(file: ThumbnailFile, now: number): Promise<void>
  remove(file: ThumbnailFile): Promise<void>
}

const NAME = /^([0-9a-z-]+)\.([0-9a-z]+)\.webp$/
const HALF_WRITTEN = /^[0-9a-z-]+\.[0-9a-z]+\.webp\.new$/
/** A disk gives whole blocks. */
const BLOCK_BYTES = 4096
const LOOKED_AT_ONCE = 16

export function createThumbnailFiles(folder: string): ThumbnailFiles {
  const pathOf = ({ name, tag }: Pick<ThumbnailFile, 'name' | 'tag'>) => join(folder, `${name}.${tag}.webp`)

  async function look(file: string, name: string, tag: string): Promise<ThumbnailFile | undefined> {
    const found = await stat(join(folder, file)).catch(ignoreMissing)
    if (!found?.isFile()) return undefined
    const { size, mtimeMs, atimeMs } = found
    return { name, tag, bytes: blocks(size), madeAt: Math.floor(mtimeMs / 1000), usedAt: Math.floor(atimeMs / 1000) }
  }

  return {
    async list() {
      const files: ThumbnailFile[] = []
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await forEachLimit(await readdir(folder), LOOKED_AT_ONCE, async (entry) => {
        const [, name, tag] = NAME.exec(entry) ?? []
        if (name !== undefined && tag !== undefined) files.push(...[await look(entry, name, tag)].filter(isFile))
        else if (HALF_WRITTEN.test(entry)) await rm(join(folder, entry), { force: true })
      })
      return files
    },

    async read(file) {
      const found = await readFile(pathOf(file)).catch(ignoreMissing)
      if (!found || quickHash(found) !== file.tag) return undefined
      return { bytes: new Uint8Array(found), tag: file.tag, madeAt: file.madeAt }
    },

    async write(name, { tag, bytes }, now) {
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

    markUsed: (file, now) => utimes(pathOf(file), now, file.madeAt),
    remove: (file) => rm(pathOf(file), { force: true }),
  }
}

function blocks(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) * BLOCK_BYTES
}

function isFile(file: ThumbnailFile | undefined): file is ThumbnailFile {
  return file !== undefined
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
