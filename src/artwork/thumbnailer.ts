import type { Thumbnailer } from '../domain/directory/artwork-ports.ts'
import type { HostQueue } from '../domain/shared/concurrency.ts'
import { withSmallProfile } from './small-profile.ts'
import { squarePng } from './square-png.ts'
import { isStillPicture } from './still-picture.ts'

/** Refused by its header, before there is memory for any pixel: 64 MB is what so many take. */
const LIMITS = { maxPixels: 4096 * 4096 } as const

/** A banner is none; and rows of millions of pixels take more memory than others. */
const RATIO_MAX = 4
/** Nobody sees that it has been pulled. */
const RATIO_SQUARE = 1.02

const WEBP = { quality: 80 } as const

/** One place for all of them: it is not hosts but processors that are short. */
const PROCESSORS = ''

/** Decodes and encodes on threads of the runtime; `queue` bounds how many at once. */
export function createThumbnailer(queue: HostQueue): Thumbnailer {
  return {
    async make(picture, size) {
      if (!isStillPicture(picture)) return undefined
      try {
        return await queue.run(PROCESSORS, () => thumbnail(picture, size))
      } catch (error) {
        if (isPictureError(error)) return undefined
        throw error
      }
    },
  }
}

async function thumbnail(picture: Uint8Array, size: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { width, height } = await new Bun.Image(picture, LIMITS).metadata()
  const short = Math.min(width, height)
  const ratio = Math.max(width, height) / short
  if (ratio > RATIO_MAX) return undefined
  const side = Math.min(size, short)
  const square = ratio <= RATIO_SQUARE ? picture : await middle(picture, Math.ceil(side * ratio))
  const webp = await new Bun.Image(square, LIMITS).resize(side, side).webp(WEBP).bytes()
  return withSmallProfile(new Uint8Array(webp))
}

/** The square in the middle of a picture that is made to fit into `box` pixels a side. */
async function middle(picture: Uint8Array, box: number): Promise<Uint8Array> {
  const image = new Bun.Image(picture, LIMITS).resize(box, box, { fit: 'inside' })
  return squarePng(await image.png({ compressionLevel: 0 }).bytes())
}

/** As the runtime names them: `ERR_IMAGE_DECODE_FAILED` and others. */
function isPictureError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^ERR_(?:IMAGE_|OUT_OF_MEMORY$)/.test(String(error.code))
}
