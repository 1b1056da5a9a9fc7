import type {
  CachedThumbnail,
  PictureAnswer,
  Pictures,
  ThumbnailCache,
} from '../../src/domain/directory/artwork-ports.ts'
import { fakeClock } from './clock.ts'

export const GONE = { kind: 'failed', reason: 'gone', message: 'its server answers 404' } as const
export const DOWN = { kind: 'failed', reason: 'unavailable', message: 'its server answers 500' } as const
export const FORBIDDEN = { kind: 'failed', reason: 'forbidden', message: 'it is in a private network' } as const

export interface AskedPicture {
  readonly url: string
  readonly mayReachPrivate: boolean
}

/** Keeps everything for ever, in memory. */
export function memoryCache(now: () => number = fakeClock().seconds): ThumbnailCache {
  const kept = new Map<string, CachedThumbnail>()
  return {
    get: async (name) => kept.get(name),
    set: async (name, thumbnail) => void kept.set(name, { ...thumbnail, madeAt: now() }),
    delete: async (name) => void kept.delete(name),
  }
}

/** Pictures that `answer` gives, asked for without the internet. */
export function scriptedPictures(
  answer: (asked: AskedPicture) => PictureAnswer | Promise<PictureAnswer> = () => GONE,
  cache: ThumbnailCache = memoryCache(),
): Pictures & { readonly asked: readonly AskedPicture[]; readonly isClosed: () => boolean } {
  const asked: AskedPicture[] = []
  let isClosed = false
  return {
    asked,
    isClosed: () => isClosed,
    cache,
    source: {
      async ask(url, mayReachPrivate) {
        asked.push({ url, mayReachPrivate })
        return answer({ url, mayReachPrivate })
      },
      close() {
        isClosed = true
      },
    },
  }
}
