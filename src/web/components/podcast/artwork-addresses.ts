export interface PicturedChapter {
  readonly episode: string
  readonly start: number
}

export interface Pictured {
  /** The feed URL. */
  readonly podcast: string
  /** The media URL of an episode that has a picture of its own; undefined for the podcast's. */
  readonly episode?: string | undefined
  /** A chapter with a picture: the media URL of its episode, and the second at which it begins. */
  readonly chapter?: PicturedChapter | undefined
  /** False if the server is known to have no picture of the podcast, because the feed names none or no user has it. */
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
