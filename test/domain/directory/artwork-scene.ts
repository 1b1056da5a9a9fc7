import type { PictureAnswer } from '../../../src/domain/directory/artwork.ts'
import type { FeedEpisode } from '../../../src/domain/feeds/document.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import { clientOf, signUp } from '../../support/client.ts'
import { fakeClock } from '../../support/clock.ts'
import { type AskedPicture, memoryCache, png, scriptedPictures } from '../../support/pictures.ts'
import { feedOf, openFeedScene } from '../feed-scene.ts'

export const FOUND: PictureAnswer = { kind: 'picture', bytes: png(64, 64) }

export const pathOf = (url: string, size = 64) => `/artwork/${size}?url=${encodeURIComponent(url)}`
export const episodePathOf = (url: string, episode: string, size = 64) =>
  `${pathOf(url, size)}&episode=${encodeURIComponent(episode)}`

interface ArtworkSceneOptions {
  readonly urls?: readonly string[]
  /** URL of the picture that a feed names. */
  readonly logoOf?: (url: string) => string
  readonly episodes?: readonly FeedEpisode[]
  /** Whether fetches are rate limited. */
  readonly isLimited?: boolean
}

/** Ida has feeds with a picture each, Bob has none; `answer` is the outcome of a fetch. */
export async function openArtworkScene(
  answer: (asked: AskedPicture) => PictureAnswer | Promise<PictureAnswer> = () => FOUND,
  {
    urls = ['https://feeds.example/0'],
    logoOf = (url) => `${url}/logo.png`,
    episodes = [],
    isLimited = false,
  }: ArtworkSceneOptions = {},
) {
  const pictureScript = { answer, logoOf }
  const clock = fakeClock()
  const pictures = scriptedPictures(
    (asked) => pictureScript.answer(asked),
    memoryCache(() => clock.seconds()),
  )
  const settings = { rate_limit: String(isLimited), feed_concurrency: '64' }
  const scene = await openFeedScene(urls, { pictures, clock, settings })
  scene.script.answer = async ({ url }) =>
    feedOf('', { document: feedDocument({ logoUrl: pictureScript.logoOf(url), episodes }) })
  await scene.runJob()
  const anyone = clientOf(scene.app)
  const bob = await signUp(scene.app, 'bob', 'driftwood')
  return {
    ...scene,
    bob,
    anyone,
    clock,
    pictures,
    pictureScript,
    urls,
    first: urls[0] ?? '',
    statusOf: async (url: string, size = 64, client = anyone) => (await client.get(pathOf(url, size))).status,
  }
}

/** Answers that come when they are released, in the order of their requests. */
export function heldAnswers() {
  const waiting: ((answer: PictureAnswer) => void)[] = []
  let next = Promise.withResolvers<void>()
  return {
    answer: () =>
      new Promise<PictureAnswer>((resolve) => {
        waiting.push(resolve)
        next.resolve()
        next = Promise.withResolvers()
      }),
    release(answer = FOUND): void {
      waiting.shift()?.(answer)
    },
    /** Resolves when that many requests wait. */
    async reached(count: number) {
      while (waiting.length < count) await next.promise
    },
  }
}
