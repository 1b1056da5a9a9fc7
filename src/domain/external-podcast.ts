/** What an external directory tells about a podcast; `''` is unknown. */
export interface ExternalPodcast {
  readonly title: string
  /** Feed URL, sanitised. */
  readonly url: string
  /** Plain text. */
  readonly description: string
  readonly author: string
  readonly logoUrl: string
  readonly language: string
  /** Which directory. */
  readonly source: string
}

/** Why a directory gave nothing: the four causes an administrator can do something about (interface specification, authentication 9). */
export type DirectoryTrouble = 'credentials' | 'network' | 'answer'

export class DirectoryFailure extends Error {
  readonly trouble: DirectoryTrouble

  /** The message is for administrators; it holds no secret. */
  constructor(trouble: DirectoryTrouble, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DirectoryFailure'
    this.trouble = trouble
  }
}

export interface PodcastDirectory {
  /** Rejects with `DirectoryFailure`. */
  search(query: string, max: number): Promise<ExternalPodcast[]>
  /** `language` is a code, or undefined for all. Rejects with `DirectoryFailure`. */
  trending(language: string | undefined, max: number): Promise<ExternalPodcast[]>
}

/** What is the same of a feed's addresses whatever the scheme, a leading `www.` and a trailing slash (protocol.md D78). `url` is sanitised. */
export function bareAddress(url: string): string {
  return url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')
}
