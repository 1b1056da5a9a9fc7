/**
 * Whether something begins like a picture of a kind that podcasts have (JPEG, PNG, WebP, GIF) and is to be given to a decoder: one that
 * moves is not, nor one that is cut off, nor one that is made to take long. Everything else is left to the decoder. Total; linear.
 */
export function isStillPicture(picture: Uint8Array): boolean {
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength)
  if (begins(bytes, '\xff\xd8\xff')) return isWholeJpeg(bytes)
  if (begins(bytes, '\x89PNG\r\n\x1a\n')) return isStillPng(bytes)
  if (begins(bytes, 'RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP') return isStillWebp(bytes)
  return begins(bytes, 'GIF8') && isStillGif(bytes)
}

const START_OF_SCAN = Buffer.from('ffda', 'hex')
const END_OF_IMAGE = Buffer.from('ffd9', 'hex')

/** Encoders make a dozen at the most. Each is another walk over the whole picture, and takes 30 bytes: 8 MB of them keep a processor busy for an hour. */
const SCANS_MAX = 64

/** One that is cut off would be shown half grey. */
function isWholeJpeg(bytes: Buffer): boolean {
  let scans = 0
  let last = -1
  // In the data of a scan the mark cannot be; by chance it may be in a profile or a preview, which only counts too many.
  for (
    let at = bytes.indexOf(START_OF_SCAN);
    at >= 0 && scans <= SCANS_MAX;
    at = bytes.indexOf(START_OF_SCAN, at + 2)
  ) {
    scans++
    last = at
  }
  return scans <= SCANS_MAX && bytes.indexOf(END_OF_IMAGE, last) > last
}

/** The chunk that says that more pictures follow comes before the first picture. */
function isStillPng(bytes: Buffer): boolean {
  const picture = bytes.indexOf('IDAT')
  return !bytes.subarray(0, Math.max(picture, 0)).includes('acTL')
}

function isStillWebp(bytes: Buffer): boolean {
  const isExtended = bytes.toString('latin1', 12, 16) === 'VP8X'
  return !isExtended || ((bytes[20] ?? 0) & 0x02) === 0
}

const EXTENSION = 0x21
const IMAGE = 0x2c

function isStillGif(bytes: Buffer): boolean {
  let at = 13 + paletteBytes(bytes[10] ?? 0)
  let images = 0
  for (;;) {
    if (bytes[at] === EXTENSION) at = afterBlocks(bytes, at + 2)
    else if (bytes[at] === IMAGE) {
      images++
      if (images > 1) return false
      at = afterBlocks(bytes, at + 11 + paletteBytes(bytes[at + 9] ?? 0))
    } else return true
  }
}

function paletteBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1)
}

/** Where the blocks end that begin at `at`: each has its length in front of it, and the last one is empty. */
function afterBlocks(bytes: Buffer, at: number): number {
  let next = at
  for (;;) {
    const length = bytes[next] ?? 0
    next += length + 1
    if (length === 0) return next
  }
}

function begins(bytes: Buffer, text: string): boolean {
  return bytes.toString('latin1', 0, text.length) === text
}
