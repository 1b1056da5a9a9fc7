import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import type { TestAppOptions } from '../../support/app.ts'
import { basic, type Client, clientOf, signUp } from '../../support/client.ts'
import { episodePath, episodesPath, podcastPath } from './scene.ts'

export const PUBLIC = 'https://feeds.example/harbour'
export const BOBS = 'https://feeds.example/winds'

const UUID = '7540dfb3-3c5f-43ae-91d3-0123456789ab'

/** URLs that are classified as secret. */
export const SECRET = [
  'https://www.patreon.com/rss/quillwort?auth=a1b2c3d4',
  'https://quillwort.supportingcast.fm/content/a1b2c3d4.rss',
  'https://quillwort.supercast.com/feeds/a1b2c3d4',
  `https://api.substack.com/feed/podcast/10845/private/${UUID}.rss?quillwort`,
  `https://feeds.redcircle.com/${UUID}/pf/quillwort`,
  'https://feeds.example/quillwort?token=1',
  'https://feeds.example/quillwort?apiKey=1',
  'https://feeds.example/quillwort?user=ida&pass=seaglass',
  'http://feeds.example/quillwort?sig=1&expires=2',
  `https://feeds.example/quillwort/${UUID}`,
  'https://feeds.example/quillwort/Xq7Lw2Zk9Tb4Rm8Vd3Hs6Yc.rss',
  'http://192.168.1.20/quillwort/0123456789abcdef0123',
] as const
/** Feeds whose publishers block directories. */
export const BLOCKED = ['a', 'b', 'c', 'd'].map((name) => `https://feeds.example/quillwort/blocked/${name}`)
/** Feeds that their subscriber hides. */
export const MARKED = ['a', 'b', 'c', 'd'].map((name) => `https://feeds.example/quillwort/marked/${name}`)
export const PRIVATE: readonly string[] = [...SECRET, ...BLOCKED, ...MARKED]

/** Matches all metadata of private feeds, and nothing else. */
export const TRACE = /quillwort|bramblewick|zanzibar|hidden.?lore/i

export const episodeOf = (url: string) => `https://cdn.example/quillwort/${PRIVATE.indexOf(url)}.mp3`

function documentOf(url: string) {
  if (url === BOBS) return feedDocument({ title: 'Winds', description: 'Gales', episodes: [] })
  if (url === PUBLIC) return feedDocument()
  const episodes = [feedEpisode({ url: episodeOf(url), title: 'Quillwort fog', description: 'Zanzibar' })]
  return feedDocument({
    title: `Quillwort ${PRIVATE.indexOf(url)}`,
    author: 'Bramblewick',
    description: '<p>Boats of Zanzibar</p>',
    website: 'https://bramblewick.example/',
    logoUrl: 'https://bramblewick.example/logo.png',
    tags: ['Sea', 'Hidden Lore'],
    isBlocked: BLOCKED.includes(url),
    episodes,
  })
}

const settingsOf = (name: string, url: string) =>
  `/api/2/settings/${name}/podcast.json?podcast=${encodeURIComponent(url)}`

/** Ida subscribes to `feeds` and hides those of `MARKED`; bob subscribes to another one. All have been fetched. */
export async function openPrivateFeeds(feeds: readonly string[] = [...PRIVATE, PUBLIC], options: TestAppOptions = {}) {
  const settings = { registration: 'open', feed_on_demand: 'off', rate_limit: 'false', ...options.settings }
  const scene = await openFeedScene(feeds, { ...options, settings })
  const { app, ida, script } = scene
  script.answer = async ({ url }) => feedOf('', { document: documentOf(url) })

  const mark = async (client: Client, name: string, url: string, value: boolean | undefined) => {
    const body = value === undefined ? { remove: ['public_subscription'] } : { set: { public_subscription: value } }
    const { status } = await client.post(settingsOf(name, url), body)
    if (status !== 200) throw new Error(`cannot mark: ${status}`)
  }
  const subscribe = (client: Client, name: string, change: { add?: string[]; remove?: string[] }) =>
    client.post(`/api/2/subscriptions/${name}/phone.json`, change)

  const bob = await signUp(app, 'bob', 'driftwood')
  await subscribe(bob, 'bob', { add: [BOBS] })
  for (const url of feeds) if (MARKED.includes(url)) await mark(ida, 'ida', url, false)
  await scene.runJob()

  return {
    ...scene,
    bob,
    anyone: clientOf(app),
    /** Sends ida's name with a wrong password. */
    impostor: clientOf(app, basic('ida', 'driftwood')),
    mark,
    subscribe,
  }
}

export const lookupsOf = (url: string) => [podcastPath(url), episodesPath(url), episodePath(url, episodeOf(url))]
