import { expect } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import type { TestAppOptions } from '../../support/app.ts'
import type { Answer, Client } from '../../support/client.ts'
import { openDirectory, urlOf } from './scene.ts'

export const ACTIONS = '/api/2/episodes/ida.json'
export const IN_PROGRESS = '/api/2/me/in-progress'
export const INBOX = '/api/2/me/inbox'
export const UNPLAYED = '/api/2/me/unplayed'
export const MARK = '/api/2/me/episodes/mark'
export const RELEASED = Date.UTC(2025, 1, 20) / 1000
export const LENGTH = 1800

export const media = (name: string, n: number) => `https://cdn.example/${name}${n}.mp3`

/** A feed with hourly episodes, the last one being the newest, released at this minute of the hour. */
export const hourly = (name: string, count: number, minute = 0) =>
  feedDocument({
    title: `Podcast ${name}`,
    logoUrl: `https://pictures.example/${name}.png`,
    episodes: Array.from({ length: count }, (_, n) =>
      feedEpisode({
        ...{ url: media(name, n), guid: `${name}${n}`, title: `${name} ${n}`, duration: LENGTH },
        ...{ released: RELEASED + 3600 * n + 60 * minute, website: `https://site.example/${name}/${n}` },
      }),
    ),
  })

/** Ida subscribes to these feeds with so many episodes. */
export async function open(feeds: Record<string, number>, options: TestAppOptions = {}) {
  const documents = Object.entries(feeds).map(([name, count], n) => [name, hourly(name, count, n)] as const)
  const scene = await openDirectory({
    ...options,
    people: { ida: Object.keys(feeds), bob: [] },
    feeds: Object.fromEntries(documents),
  })
  const ida = scene.as('ida')
  const tell = (name: string, n: number, fields: object = {}) =>
    ida.post(ACTIONS, [
      { podcast: urlOf(name), episode: media(name, n), device: 'phone', action: 'play', ...playedTo(600), ...fields },
    ])
  return { ...scene, ida, tell, mark: (body: unknown) => ida.post(MARK, body) }
}

export const playedTo = (position: number, timestamp = '2025-03-02T08:00:00') => ({
  ...{ started: 0, position, total: LENGTH, timestamp },
})

export interface Item {
  readonly podcast: { readonly url: string }
  readonly episode: { readonly url: string; readonly title: string }
  readonly state: string
  readonly position?: number
}

export function pageIn({ status, json }: Answer): { items: Item[]; next: string | null } {
  expect(status).toBe(200)
  return json as { items: Item[]; next: string | null }
}

export const titlesIn = (answer: Answer) => pageIn(answer).items.map(({ episode }) => episode.title)

/** The items of all pages. */
export async function allOf(client: Client, path: string): Promise<Item[]> {
  const found: Item[] = []
  for (let before = ''; ; ) {
    const { items, next } = pageIn(await client.get(`${path}${path.includes('?') ? '&' : '?'}before=${before}`))
    found.push(...items)
    if (next === null) return found
    before = next
  }
}
