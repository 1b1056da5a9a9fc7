/** What making thumbnails of podcasts' pictures needs from the internet, the processor and the disk. */

/** A small WebP picture of a podcast. */
export interface Thumbnail {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Names the bytes: other bytes, other tag. Letters and digits. */
  readonly tag: string
}

export type PictureFailureReason =
  /** It is in a private network, and this was not to go there. */
  | 'forbidden'
  /** Its server says that there is no such thing, or not any more. */
  | 'gone'
  /** Unreachable, too large, another answer: it may be better later. */
  | 'unavailable'

export type PictureAnswer =
  | { readonly kind: 'picture'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'failed'
      readonly reason: PictureFailureReason
      /** For administrators; without path and query. */
      readonly message: string
    }

export interface PictureSource {
  /** Whatever is there, of a bounded size: nobody has looked whether it is a picture. Rejects with `unavailable` when it is closed. */
  ask(url: string, mayReachPrivate: boolean): Promise<PictureAnswer>
  /** For good, and for what is under way as well. */
  close(): void
}

export interface Thumbnailer {
  /**
   * The whole picture, its short side `size` pixels long, or shorter if the picture's is. Undefined for whatever is no picture, or none
   * that is fit to be shown. Works on other threads than the one that calls it.
   */
  make(picture: Uint8Array, size: number): Promise<Uint8Array<ArrayBuffer> | undefined>
}

export interface CachedThumbnail extends Thumbnail {
  /** Unix seconds. */
  readonly madeAt: number
}

/** What is kept may be gone at any time. Names are of lower-case letters, digits and `-`. Nothing here rejects. */
export interface ThumbnailCache {
  get(name: string): Promise<CachedThumbnail | undefined>
  set(name: string, thumbnail: Thumbnail): Promise<void>
  delete(name: string): Promise<void>
}

export interface Pictures {
  readonly source: PictureSource
  readonly cache: ThumbnailCache
}
