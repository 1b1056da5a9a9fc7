import type { ThumbnailCache } from '../domain/directory/artwork-ports.ts'
import type { Clock } from '../platform/clock.ts'
import { createThumbnailFiles, type ThumbnailFile } from './thumbnail-files.ts'

export interface ThumbnailCacheParts {
  /** Made when it is needed. */
  readonly folder: string
  /** On the disk; what was not used for longest goes first. */
  readonly maxBytes: number
  readonly clock: Clock
  /** When the disk does not do what it should; the first time, and the first one after it took a thumbnail. */
  readonly onFailure: (error: unknown) => void
}

/** Seconds; a look at a picture need not be written down each time. */
const USE_NOTED_AFTER = 24 * 3600

/**
 * Thumbnails in files, found again after a restart. Whoever deletes some by hand does no harm, and a disk that is full or broken only
 * costs work: nothing here rejects.
 */
export function createThumbnailCache({ folder, maxBytes, clock, onFailure }: ThumbnailCacheParts): ThumbnailCache {
  const files = createThumbnailFiles(folder)
  /** In order of use, the one that was not used for longest first. */
  const known = new Map<string, ThumbnailFile>()
  let total = 0
  let opened: Promise<void> | undefined
  let isFailing = false

  /** What `work` gives, and undefined when the disk fails. */
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
    // Tried again with the next use.
    if ((await trying(readFolder)) === undefined) opened = undefined
  }

  /** With the first use: commands that do something else beside a server leave the folder alone. */
  function open(): Promise<void> {
    opened ??= begin()
    return opened
  }

  /** The one of the same name before it goes. */
  async function note(file: ThumbnailFile): Promise<void> {
    const before = known.get(file.name)
    forget(before)
    known.set(file.name, file)
    total += file.bytes
    if (before && before.tag !== file.tag) await files.remove(before)
  }

  function forget(file: ThumbnailFile | undefined): void {
    if (!file || known.get(file.name) !== file) return
    known.delete(file.name)
    total -= file.bytes
  }

  async function drop(file: ThumbnailFile): Promise<void> {
    forget(file)
    await files.remove(file)
  }

  async function shrink(): Promise<void> {
    for (const file of known.values()) {
      if (total <= maxBytes) return
      await drop(file)
    }
  }

  async function use(file: ThumbnailFile): Promise<void> {
    const now = clock.seconds()
    const isNoted = Math.abs(now - file.usedAt) < USE_NOTED_AFTER
    const used = isNoted ? file : { ...file, usedAt: now }
    if (known.get(file.name) !== file) return
    known.delete(file.name)
    known.set(file.name, used)
    if (!isNoted) await files.markUsed(used, now)
  }

  return {
    async get(name) {
      await open()
      const file = known.get(name)
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
      const file = known.get(name)
      if (file) await trying(() => drop(file))
    },
  }
}
