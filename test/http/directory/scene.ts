import type { FeedFailureReason } from '../../../src/domain/feeds/ports.ts'
import { failed, feedOf } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import { startTestApp, type TestAppOptions } from '../../support/app.ts'
import { type Answer, type Client, clientOf, signUp } from '../../support/client.ts'
import type { FeedDocument } from '../../support/feed-document.ts'
import { given } from '../../support/feed-source.ts'

const FEEDS = 'https://feeds.example/'

/** Feeds go by short names in these tests. */
export const urlOf = (name: string) => FEEDS + name

export type Feeds = Readonly<Record<string, Partial<FeedDocument>>>

interface Directory extends TestAppOptions {
  /** Who has which feeds on the phone, in order of signing up. */
  readonly people: Readonly<Record<string, readonly string[]>>
  /** What the feeds say, beyond nothing. */
  readonly feeds?: Feeds
}

/** People with their feeds, which have all been fetched, and an administrator who has none. */
export async function openDirectory({ people, feeds = {}, ...options }: Directory) {
  const said = new Map(Object.entries(feeds))
  const broken = new Map<string, FeedFailureReason>()
  const settings = { rate_limit: 'false', ...options.settings }
  const app = startTestApp({
    ...options,
    settings,
    feedSource: {
      ask({ url }, _at, wanted, store) {
        const reason = broken.get(nameOf(url))
        const answer = reason ? failed({ reason }) : feedOf('', { document: documentOf(said.get(nameOf(url))) })
        return given(answer, wanted, store)
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
    /** The client of one of the people. */
    as: clientOfPerson,
    change,
    /** What the clock does once in a while. */
    run,
    /** A feed says something else from now on, and is fetched. */
    async publish(name: string, document: Partial<FeedDocument>): Promise<void> {
      broken.delete(name)
      said.set(name, document)
      await app.services.feeds.refresh(urlOf(name))
    },
    /** A feed cannot be had so many times in a row. */
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

/** The values of one key of each item of a list. */
export const valuesOf = (answer: Answer, key: string) => itemsOf(answer).map((item) => item[key])

/** The names of the feeds of a list, in order. */
export const namesIn = (answer: Answer) => itemsOf(answer).map(({ url }) => nameOf(String(url)))

/** Podcasts by short names: a title, or more of what a feed says; each has one subscriber unless it says how many. */
export type Podcasts = Readonly<Record<string, string | (Partial<FeedDocument> & { readonly subscribers?: number })>>

/** A directory of these podcasts, in which anybody looks for something. */
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
  return { ...directory, search: searcher(directory.anyone) }
}

/** Looks for something: the names of the podcasts found, best first. */
export function searcher(client: Client): (query: string) => Promise<string[]> {
  return async (query) => namesIn(await client.get(`/search.json?q=${encodeURIComponent(query)}`))
}

/** Everything that can be looked up of a podcast. */
export const podcastPath = (url: string) => `/api/2/data/podcast.json?url=${encodeURIComponent(url)}`
export const episodesPath = (url: string) => `/api/2/data/podcast/episodes.json?url=${encodeURIComponent(url)}`
export const episodePath = (feed: string, url: string) =>
  `/api/2/data/episode.json?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(url)}`
