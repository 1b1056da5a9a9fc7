import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DomainError } from '../domain/shared/errors.ts'
import type { ImportFiles } from '../domain/transfer/ports.ts'
import { createDigest, type Random, randomToken } from '../platform/crypto.ts'

/** Ten times the size of the longest known history. */
export const IMPORT_FILE_MAX = 1024 * 1024 * 1024

const FINAL = /^\d{1,15}$/
const PARTIAL = /^partial-[\w-]+$/

async function storing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw new DomainError('unavailable', 'the file could not be stored on the server', { cause: error })
  }
}

/** Files in a folder that only the server's user may read: one that is being received, or is waiting to be imported. */
export function createImportFiles(folder: string, random: Random, maxBytes = IMPORT_FILE_MAX): ImportFiles {
  const received = new Set<string>()
  const pathOf = (id: number) => join(folder, String(id))

  async function write(path: string, pieces: AsyncIterable<Uint8Array>): Promise<string> {
    const digest = createDigest()
    const file = await open(path, 'wx', 0o600)
    try {
      let bytes = 0
      for await (const piece of pieces) {
        bytes += piece.byteLength
        if (bytes > maxBytes)
          throw new DomainError(
            'payload_too_large',
            `the file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB`,
          )
        digest.add(piece)
        // Unlike `write`, it does not end with a part of the piece when the disk is full.
        await file.writeFile(piece)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    return digest.end()
  }

  async function remove(path: string): Promise<void> {
    await rm(path, { force: true })
    received.delete(path)
  }

  return {
    async receive(pieces) {
      const path = join(folder, `partial-${randomToken(random)}`)
      await storing(mkdir(folder, { recursive: true, mode: 0o700 }))
      received.add(path)
      try {
        return { path, digest: await storing(write(path, pieces)) }
      } catch (error) {
        await remove(path)
        throw error
      }
    },

    async keep(path, id) {
      await rename(path, pathOf(id))
      received.delete(path)
      return pathOf(id)
    },

    find: (id) =>
      stat(pathOf(id)).then(
        () => pathOf(id),
        () => undefined,
      ),

    remove: (pathOrId) => remove(typeof pathOrId === 'number' ? pathOf(pathOrId) : pathOrId),

    async sweep(ids) {
      const names = await readdir(folder).catch(() => [])
      for (const name of names) {
        const path = join(folder, name)
        const isLeftover = FINAL.test(name) ? !ids.has(Number(name)) : PARTIAL.test(name) && !received.has(path)
        if (isLeftover) await rm(path, { force: true })
      }
    },
  }
}
