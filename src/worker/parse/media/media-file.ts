export interface MediaFile {
  readonly url: string
  readonly type: string
  readonly medium?: string
  readonly isDefault?: boolean
}

/** Returns the file that apps play: the default or first audio or video file, else the first enclosure. */
export function playedFile<T extends MediaFile>(files: readonly T[]): T | undefined {
  if (files.length === 0) return undefined
  const played = files.filter((file) => file.url !== '' && isPlayed(file))
  return (
    played.find(({ isDefault }) => isDefault) ?? played[0] ?? files.find((file) => file.url !== '' && isOther(file))
  )
}

export function typeOfMedia({ url, type }: MediaFile): string {
  return isPlayedType(type) || !PLAYED_NAME.test(pathOf(url)) ? type : ''
}

const PLAYED_TYPE = /^(?:audio\/|video\/|application\/(?:x-)?(?:ogg|opus|flac|mp4|mpeg|matroska)\b)/i

const PLAYED_NAME =
  /\.(?:mp[1234]|m[24][abprv]|mpe?g|mpga|og[agvx]|opus|spx|flac|wave?|aac|aiff?|wm[av]|avi|mov|webm|weba|mk[av]|3gpp?|amr|caf)(?:;[^/]*)?$/i

const PICTURE_NAME = /\.(?:jpe?g|png|gif|webp|avif|heic|svg|bmp|tiff?|ico)(?:;[^/]*)?$/i

const NEUTRAL_TYPE = /^(?:(?:application|binary)\/(?:octet-stream|force-download|x-download)\b.*)?$/i

function isPlayedType(type: string): boolean {
  return PLAYED_TYPE.test(type)
}

function isPlayed({ url, type, medium = '' }: MediaFile): boolean {
  return isPlayedType(type) || /^(?:audio|video)$/i.test(medium) || PLAYED_NAME.test(pathOf(url))
}

/** Media RSS has many other files, so that its files have to say that they hold data of some kind. */
function isOther({ url, type, medium }: MediaFile): boolean {
  if (/^image\//i.test(type)) return false
  if (medium !== undefined && (medium !== '' || type === '')) return false
  return NEUTRAL_TYPE.test(type) ? !PICTURE_NAME.test(pathOf(url)) : medium === undefined
}

export function isPicture({ url, type, medium = '' }: MediaFile): boolean {
  if (isPlayed({ url, type, medium })) return false
  if (medium !== '' || type !== '') return /^image$/i.test(medium) || /^image\//i.test(type)
  return PICTURE_NAME.test(pathOf(url))
}

export function isPlayedName(url: string): boolean {
  return PLAYED_NAME.test(pathOf(url))
}

/** An address without host, query and fragment: `.mov` is also a top-level domain. */
function pathOf(url: string): string {
  return url.replace(/^(?:[a-z]+:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
}
