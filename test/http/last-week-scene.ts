import type { Answer } from '../support/client.ts'
import { openDirectory, urlOf } from './directory-scene.ts'

export const DAY = 24 * 3600
export const NAMES = ['ida', 'bob', 'eva'] as const

/** People who have nothing yet; the first day has been noted. */
export async function openDays() {
  const scene = await openDirectory({ people: { ida: [], bob: [], eva: [] } })
  await scene.run('directory')
  return {
    ...scene,
    /** Lets days pass, each with what is to be done once an hour. */
    async days(count: number): Promise<void> {
      for (let day = 0; day < count; day++) {
        scene.app.clock.advance(DAY)
        for (let n = 0; n < 2; n++) await scene.run('directory')
      }
    },
    /** So many people have a podcast from now on. */
    async have(podcast: string, people: number): Promise<void> {
      for (const [index, name] of NAMES.entries())
        await scene.change(name, 'phone', index < people ? { add: [podcast] } : { remove: [podcast] })
    },
    list: async () => listOf(await scene.anyone.get('/toplist/100.json')),
    /** Podcasts and days that are remembered. */
    history: () =>
      scene.app.db
        .query<{ url: string; day: number; subscribers: number }, []>(
          'SELECT p.url, h.day, h.subscribers FROM subscriber_history h JOIN podcasts p ON p.id = h.podcast_id ORDER BY p.url, h.day',
        )
        .all(),
  }
}

/** Of each podcast: how many have it, how many had it a week ago, and in which place it was. */
export function listOf({ json }: Answer): string[] {
  if (!Array.isArray(json)) throw new Error('no list')
  return json.map(
    ({ url, subscribers, subscribers_last_week: before, position_last_week: place }) =>
      `${url.replace(urlOf(''), '')} ${subscribers} was ${before} at ${place}`,
  )
}
