/**
 * Whether these bytes may be given to a decoder: a JPEG, PNG, WebP or GIF that is not animated, not truncated and not built to take
 * long. What else may be wrong with it is left to the decoder. Never throws; takes linear time.
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

/**
 * Encoders write a dozen scans at the most. Each takes 30 bytes and one pass over the whole picture: 8 MB of them would keep a processor
 * busy for an hour.
 */
const SCANS_MAX = 64

/** The decoder shows a truncated JPEG half grey, so one without an end is refused. */
function isWholeJpeg(bytes: Buffer): boolean {
  let scans = 0
  let last = -1
  // The marker cannot occur in the data of a scan. In a profile or a preview it may, which only makes the count too high.
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

/** The chunk that announces an animation comes before the first picture. */
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

/** The end of the blocks that begin at `at`: each is preceded by its length, and the last one is empty. */
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
