import type { FeedFailureReason } from '../../../src/domain/feeds/ports.ts'
import { failed, feedOf } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import { startTestApp, type TestAppOptions } from '../../support/app.ts'
import { type Answer, type Client, clientOf, signUp } from '../../support/client.ts'
import type { FeedDocument } from '../../support/feed-document.ts'
import { toFeedAnswer } from '../../support/feed-source.ts'

const FEEDS = 'https://feeds.example/'

/** Tests use short names of feeds. */
export const urlOf = (name: string) => FEEDS + name

export type Feeds = Readonly<Record<string, Partial<FeedDocument>>>

interface Directory extends TestAppOptions {
  /** Feeds on the phone of each user, in the order of signing up. */
  readonly people: Readonly<Record<string, readonly string[]>>
  /** Contents of the feeds; empty by default. */
  readonly feeds?: Feeds
}

/** Users with fetched feeds, and an administrator without any. */
export async function openDirectory({ people, feeds = {}, ...options }: Directory) {
  const documents = new Map(Object.entries(feeds))
  const broken = new Map<string, FeedFailureReason>()
  const settings = { rate_limit: 'false', ...options.settings }
  const app = startTestApp({
    ...options,
    settings,
    feedSource: {
      ask({ url }, _at, wanted, store) {
        const reason = broken.get(nameOf(url))
        const answer = reason ? failed({ reason }) : feedOf('', { document: documentOf(documents.get(nameOf(url))) })
        return toFeedAnswer(answer, wanted, store)
      },
      close: () => undefined,
    },
  })
  const admin = await signUp(app, 'admin')
  const clients = new Map<string, Client>()

  function clientOfPerson(name: string): Client {
    const client = clients.get(name)
    if (!client) throw new Error(`there is no ${name}`)
    return client
  }

  async function change(name: string, device: string, changes: { add?: string[]; remove?: string[] }): Promise<void> {
    const body = { add: changes.add?.map(urlOf) ?? [], remove: changes.remove?.map(urlOf) ?? [] }
    const { status } = await clientOfPerson(name).post(`/api/2/subscriptions/${name}/${device}.json`, body)
    if (status !== 200) throw new Error(`cannot subscribe: ${status}`)
  }

  async function run(job: string): Promise<void> {
    await app.indexed()
    app.jobs.find(({ name }) => name === job)?.run()
    await app.idle()
  }

  for (const [name, has] of Object.entries(people)) {
    clients.set(name, await signUp(app, name))
    await change(name, 'phone', { add: [...has] })
  }
  await run('feeds')

  return {
    app,
    admin,
    anyone: clientOf(app),
    as: clientOfPerson,
    change,
    /** Runs a periodic job. */
    run,
    /** Replaces the contents of a feed and fetches it. */
    async publish(name: string, document: Partial<FeedDocument>): Promise<void> {
      broken.delete(name)
      documents.set(name, document)
      await app.services.feeds.refresh(urlOf(name))
    },
    /** Lets a feed fail so many times. */
    async fail(name: string, reason: FeedFailureReason, times: number): Promise<void> {
      broken.set(name, reason)
      for (let n = 0; n < times; n++) await app.services.feeds.refresh(urlOf(name)).catch(() => undefined)
    },
  }
}

function nameOf(url: string): string {
  return url.replace(FEEDS, '')
}

function documentOf(fields: Partial<FeedDocument> = {}): FeedDocument {
  const nothing = { title: '', author: '', description: '', website: '', logoUrl: '', language: '' }
  return feedDocument({ ...nothing, tags: [], episodes: [], ...fields })
}

function itemsOf({ status, json }: Answer): Record<string, unknown>[] {
  if (status !== 200 || !Array.isArray(json)) throw new Error(`no list but ${status} ${JSON.stringify(json)}`)
  return json
}

/** The values of `key` in a list of objects. */
export const valuesOf = (answer: Answer, key: string) => itemsOf(answer).map((item) => item[key])

/** Short names of the feeds in a list. */
export const namesIn = (answer: Answer) => itemsOf(answer).map(({ url }) => nameOf(String(url)))

/** Podcasts by short names: a title, or contents of the feed and the number of subscribers. */
export type Podcasts = Readonly<Record<string, string | (Partial<FeedDocument> & { readonly subscribers?: number })>>

/** A directory of these podcasts with an anonymous search. */
export async function openSearch(podcasts: Podcasts) {
  const people = new Map<string, string[]>([['ida', []]])
  const feeds = new Map<string, Partial<FeedDocument>>()
  for (const [name, podcast] of Object.entries(podcasts)) {
    const { subscribers = 1, ...document } = typeof podcast === 'string' ? { title: podcast } : podcast
    feeds.set(name, document)
    for (let n = 0; n < subscribers; n++) {
      const person = n === 0 ? 'ida' : `user${n}`
      people.set(person, [...(people.get(person) ?? []), name])
    }
  }
  const directory = await openDirectory({ people: Object.fromEntries(people), feeds: Object.fromEntries(feeds) })
  return { ...directory, search: searcher(directory.anyone) }
}

/** Searches; returns names of podcasts, best first. */
export function searcher(client: Client): (query: string) => Promise<string[]> {
  return async (query) => namesIn(await client.get(`/search.json?q=${encodeURIComponent(query)}`))
}

export const podcastPath = (url: string) => `/api/2/data/podcast.json?url=${encodeURIComponent(url)}`
export const episodesPath = (url: string) => `/api/2/data/podcast/episodes.json?url=${encodeURIComponent(url)}`
export const episodePath = (feed: string, url: string) =>
  `/api/2/data/episode.json?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(url)}`
