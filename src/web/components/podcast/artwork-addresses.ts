export interface PicturedChapter {
  readonly episode: string
  readonly start: number
}

export interface Pictured {
  /** Feed URL. */
  readonly podcast: string
  /** Media URL of an episode with its own picture; `undefined` for the picture of the podcast. */
  readonly episode?: string | undefined
  /** Chapter with a picture, preferred over the other two. `start` is in seconds. */
  readonly chapter?: PicturedChapter | undefined
  /** False if the server has no picture of the podcast: the feed names none, or no user subscribes. */
  readonly hasCover?: boolean | undefined
}

export type ArtworkSize = 64 | 128 | 300 | 600

/**
 * Returns the addresses of pictures to try, best first; each is the fallback for the ones before it. They point to
 * thumbnails of this server, relative to its base.
 */
export function artworkAddresses(
  { podcast, episode, chapter, hasCover = true }: Pictured,
  size: ArtworkSize,
): readonly string[] {
  const cover = `artwork/${size}?url=${encodeURIComponent(podcast)}`
  const ofEpisode = (url: string) => `${cover}&episode=${encodeURIComponent(url)}`
  return [
    ...(chapter ? [`${ofEpisode(chapter.episode)}&chapter=${chapter.start}`] : []),
    ...(episode === undefined ? [] : [ofEpisode(episode)]),
    ...(hasCover ? [cover] : []),
  ]
}
