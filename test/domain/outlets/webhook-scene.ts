import { expect } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { signIn } from '../../support/client.ts'
import { UNCHANGED } from '../../support/feed-source.ts'
import { receiver } from '../../support/webhooks.ts'
import { HOUR, openFeedScene } from '../feed-scene.ts'

export const MINUTE = 60
export const HOOK = '/api/2/me/webhook'
export const FOG = 'https://feeds.example/fog'
export const TIDE = 'https://feeds.example/tide'
export const URL = 'https://hooks.example/ida'

/** Ida’s phone has two feeds, fetched an hour ago, and her webhook gets all events. */
export async function openHookScene({ settings = {}, feeds = [FOG, TIDE] as readonly string[] } = {}) {
  const { sender, script: answers, attempts, told: delivered } = receiver()
  const scene = await openFeedScene(feeds, { settings, webhookSender: sender })
  const { app } = scene
  const browser = await signIn(app)
  const published = new Map<string, { released?: number }[]>()
  scene.script.answer = async ({ url }) => {
    const episodes = (published.get(url) ?? []).map((fields, n) =>
      feedEpisode({ url: `${url}/${n}.mp3`, title: `Part ${n}`, guid: `${url} ${n}`, ...fields }),
    )
    return { ...UNCHANGED, kind: 'feed', document: feedDocument({ title: url === FOG ? 'Fog' : 'Tide', episodes }) }
  }
  await scene.runJob()
  const shown = async () => (await browser.get(HOOK)).json as Record<string, unknown>
  const deliver = () => scene.runJob('webhooks')
  expect(await browser.put(HOOK, { url: URL })).toMatchObject({ status: 200 })
  return {
    ...scene,
    browser,
    answers,
    attempts,
    delivered,
    shown,
    deliver,
    /** Two hours later, each of the feeds has that many new episodes and is fetched. */
    async publish(counts: Record<string, number>, released = () => app.clock.seconds() as number | undefined) {
      app.clock.advance(2 * HOUR)
      for (const [url, count] of Object.entries(counts)) {
        const all = published.get(url) ?? []
        const date = released()
        for (let n = 0; n < count; n++) all.push(date === undefined ? {} : { released: date })
        published.set(url, all)
      }
      await scene.runJob()
    },
    /** Adds devices, and delivers what is due a minute later. */
    async addDevices(...uids: readonly string[]) {
      for (const uid of uids) await scene.ida.post(`/api/2/devices/ida/${uid}.json`, {})
      await this.quiet()
    },
    /** Lets a minute pass without news, and delivers what is due. */
    async quiet() {
      app.clock.advance(MINUTE)
      await deliver()
    },
  }
}
