import type { FeedDocument } from '../../src/domain/feeds/document.ts'
import { type Client, clientOf } from '../support/client.ts'
import { namesIn, openDirectory } from './directory-scene.ts'

/** A title, or more of what a feed says. */
export type Said = string | (Partial<FeedDocument> & { readonly subscribers?: number })

/** Podcasts by short names; each has one subscriber unless it says how many. */
export type Podcasts = Readonly<Record<string, Said>>

export async function openSearch(podcasts: Podcasts) {
  const people = new Map<string, string[]>([['ida', []]])
  const feeds = new Map<string, Partial<FeedDocument>>()
  for (const [name, said] of Object.entries(podcasts)) {
    const { subscribers = 1, ...document } = typeof said === 'string' ? { title: said } : said
    feeds.set(name, document)
    for (let n = 0; n < subscribers; n++) {
      const person = n === 0 ? 'ida' : `user${n}`
      people.set(person, [...(people.get(person) ?? []), name])
    }
  }
  const directory = await openDirectory({ people: Object.fromEntries(people), feeds: Object.fromEntries(feeds) })
  return { ...directory, search: searcher(clientOf(directory.app)) }
}

/** Looks for something: the names of the podcasts found, best first. */
export function searcher(client: Client): (query: string) => Promise<string[]> {
  return async (query) => namesIn(await client.get(`/search.json?q=${encodeURIComponent(query)}`))
}
