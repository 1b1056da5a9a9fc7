import { describe, expect, test } from 'bun:test'
import { failed, feedOf } from '../domain/feed-scene.ts'
import { feedDocument } from '../store/contract/fixtures.ts'
import { startTestApp } from '../support/app.ts'
import { clientOf, signUp } from '../support/client.ts'
import { contentsOf, UNCHANGED } from '../support/feed-source.ts'
import { FOG, NEW, openOnDemand } from './on-demand-scene.ts'
import { episodePath, episodesPath, podcastPath } from './podcast-data-scene.ts'
import { expectRefusal } from './refusal.ts'

/** Feeds are in the private network, and `feed_allow_private` lets people with an account have them. Ida has looked at one. */
async function open(settings: Record<string, string> = {}) {
  const scene = await openOnDemand(settings)
  scene.script.answer = async () => feedOf('', { document: feedDocument(), isInside: true })
  expect(await scene.ida.get(podcastPath(NEW))).toMatchObject({ status: 200, json: { title: 'Harbour Talk' } })
  return scene
}

describe('a feed of the private network that somebody with an account has looked at, and nobody has', () => {
  test.each([
    ['podcast data', podcastPath],
    ['lists of episodes', episodesPath],
    ['episode data', (url: string) => episodePath(url, FOG)],
  ])('is not there for strangers: %s', async (_what, pathOf) => {
    const { anyone, ida } = await open()
    expectRefusal(await anyone.get(pathOf(NEW)), 404, 'unknown_podcast')
    expect((await ida.get(pathOf(NEW))).status).toBe(200)
  })

  test('is told to strangers as one that cannot be had, with the same limit', async () => {
    const told = async (isKnown: boolean) => {
      const { anyone, script } = await open({ rate_limit: 'true' })
      script.answer = async () => failed({ reason: 'forbidden' })
      const urls = Array.from({ length: 8 }, (_, n) => `https://host${n}.example/f`)
      if (isKnown) urls[2] = NEW
      const answers = []
      for (const url of [...urls, ...urls]) answers.push(await anyone.get(podcastPath(url)))
      return answers.map(({ status, text, headers }) => [status, text, headers.get('retry-after')])
    }
    expect(await told(true)).toEqual(await told(false))
  })

  test('is not there for strangers while it is being stored either', async () => {
    const document = feedDocument()
    const told: number[] = []
    const app = startTestApp({
      settings: { rate_limit: 'false' },
      feedSource: {
        async ask(_feed, _at, wanted, store) {
          const contents = contentsOf(document, wanted)
          await store({ ...contents, isInside: true })
          told.push((await clientOf(app).get(podcastPath(NEW))).status)
          return { ...UNCHANGED, kind: 'feed', document: contents.document, isInside: true }
        },
        close: () => undefined,
      },
    })
    const ida = await signUp(app)
    expect((await ida.get(podcastPath(NEW))).status).toBe(200)
    expect(told).toEqual([404])
  })
})
