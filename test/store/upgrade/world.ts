import { basic, type Client, cookieOf } from '../../support/client.ts'
import { codeOf } from '../../support/totp.ts'

/* Requests of users before an upgrade. */

export const PASSWORD = 'seaglass'
const FOG = 'https://feeds.example/fog'
const TIDE = 'https://feeds.example/tide?part=1&lang=de'
const ODD = 'https://feeds.example/%C3%A9mile%20f%C3%AAte.xml'
const GONE = 'http://old.example/gone.rss'
const EPISODE = `${FOG}/1.mp3`
const CHOSEN = `podcast=${encodeURIComponent(FOG)}&episode=${encodeURIComponent(EPISODE)}`
const ABOUT = '/api/2/data/podcast.json?url='

/** Credentials that must be valid after an upgrade. */
export type SignIns = Record<string, Record<string, string>>

export interface World {
  readonly signIns: SignIns
  /** Requests by ida and ole whose answers are compared. */
  readonly questions: readonly Question[]
}

export interface Question {
  readonly user: string
  readonly path: string
}

/** Lets ida and ole use a server, which fetches the feed at `feedUrl`. */
export async function fillWorld(
  feedUrl: string,
  clientOf: (headers?: Record<string, string>) => Client,
): Promise<World> {
  const ida = clientOf(basic('ida', PASSWORD))
  const ole = clientOf(basic('ole', PASSWORD))
  const times = new Set<number>([0])

  async function send<T extends object>(client: Client, path: string, body: unknown, method = 'POST') {
    const answer = await client.call(method, path, { body })
    const { status, text } = answer
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    const json = answer.json as (Partial<T> & { timestamp?: number }) | undefined
    if (json?.timestamp !== undefined) times.add(json.timestamp)
    return { answer, json }
  }
  const change = (client: Client, device: string, add: string[], remove: string[] = []) =>
    send(client, `/api/2/subscriptions/${device}.json`, { add, remove })
  const upload = (client: Client, user: string, actions: readonly object[]) =>
    send(client, `/api/2/episodes/${user}.json`, actions)
  const set = (scope: string, values: object) => send(ida, `/api/2/settings/ida/${scope}`, { set: values, remove: [] })

  // Devices and subscriptions: added, removed, added again, uploaded as a list.
  for (const [uid, caption, type] of [
    ['phone', 'Idas Händi 📱', 'mobile'],
    ['desk', 'The desk\'s "PC"', 'desktop'],
    ['kitchen', 'Küche', 'other'],
    ['attic.old', 'Attic', 'laptop'],
  ])
    await send(ida, `/api/2/devices/ida/${uid}.json`, { caption, type })
  await send(ole, '/api/2/devices/ole/phone.json', { caption: 'Ole', type: 'mobile' })
  await change(ida, 'ida/phone', [FOG, TIDE, GONE, feedUrl])
  await change(ida, 'ida/phone', [ODD], [GONE])
  await change(ida, 'ida/desk', [FOG, GONE])
  await change(ida, 'ida/desk', [], [FOG])
  await change(ida, 'ida/desk', [FOG])
  await send(ida, '/subscriptions/ida/attic.old.txt', `${TIDE}\n${ODD}\n`, 'PUT')
  await change(ole, 'ole/phone', [FOG, feedUrl])

  // Typical and unusual episode actions.
  const play = { podcast: FOG, episode: EPISODE, device: 'phone', action: 'play' }
  const tide = { podcast: TIDE, action: 'play' }
  const heardFrom = (episode: string) => ({ podcast: feedUrl, episode: new URL(episode, feedUrl).href })
  await upload(ida, 'ida', [
    { ...play, action: 'download', timestamp: '2024-05-01T10:00:00' },
    { ...play, timestamp: '2024-05-01T11:00:00Z', started: 0, position: 600, total: 3600 },
    { ...play, timestamp: '2024-05-01T12:00:00', started: 600, position: 1800, total: 3600, guid: 'urn:fog:1' },
    // Two devices at the same time.
    { ...play, device: 'desk', timestamp: '2024-05-01T12:00:00', started: 0, position: 60, total: 3600 },
    { podcast: FOG, episode: `${FOG}/2.mp3`, action: 'new', timestamp: '2024-05-02T00:00:00' },
  ])
  await upload(ida, 'ida', [
    { ...tide, episode: `${TIDE}#ünï – code`, device: 'attic.old', action: 'delete', timestamp: '1999-12-31T23:59:59' },
    { ...tide, episode: 'https://cdn.example/tide/1.ogg', position: 0, timestamp: '2024-06-01T00:00:00' },
    { ...tide, episode: 'https://cdn.example/tide/2.ogg', timestamp: '2024-06-01T00:00:01' },
    { ...play, podcast: GONE, episode: `${GONE}/x.mp3`, position: 2_147_483_647, timestamp: '2024-06-02T00:00:00' },
    { ...play, ...heardFrom('/1.mp3'), started: 10, position: 100, total: 200 },
    // A moved episode: two media URLs with one guid.
    { ...play, ...heardFrom('/2.mp3'), guid: 'fog-2', started: 0, position: 20, total: 90 },
    { ...play, ...heardFrom('/moved/2.mp3'), device: 'desk', guid: 'fog-2', started: 20, position: 40, total: 90 },
  ])
  // A media URL whose episode changes.
  await upload(
    ida,
    'ida',
    ['monday', 'tuesday', undefined].map((guid, n) => ({
      ...{ ...tide, episode: 'https://cdn.example/tide/latest.ogg', guid, timestamp: `2024-06-03T00:00:0${n}` },
      ...{ started: 0, position: 10 * n + 10, total: 90 },
    })),
  )
  // A duplicate and an older action.
  await upload(ida, 'ida', [
    { podcast: FOG, episode: `${FOG}/2.mp3`, action: 'new', timestamp: '2024-05-02T00:00:00' },
    { ...play, timestamp: '2024-04-30T12:00:00', started: 0, position: 5, total: 3600 },
  ])
  await upload(ole, 'ole', [{ ...play, timestamp: '2024-05-03T12:00:00', started: 0, position: 3599, total: 3600 }])

  // A sync group of two, and a dissolved one.
  const synchronize = (wanted: object) => send(ida, '/api/2/sync-devices/ida.json', wanted)
  await synchronize({ synchronize: [['phone', 'desk']] })
  await synchronize({ synchronize: [['kitchen', 'attic.old']] })
  await synchronize({ 'stop-synchronize': ['kitchen', 'attic.old'] })
  await change(ida, 'ida/desk', ['https://feeds.example/added-later'])

  await set('account.json', { public_profile: false, näme: 'Ída', nested: { list: [1, 2.5, null] } })
  await set('device.json?device=phone', { auto_download: true })
  await set(`podcast.json?podcast=${encodeURIComponent(FOG)}`, { public_subscription: false, skip: 30 })
  await set(`episode.json?${CHOSEN}`, { is_favorite: true })
  await send(ida, '/api/2/me/folders', { name: 'Zur Arbeit' })
  await send(ida, '/api/2/me/folder-podcasts', { podcasts: [FOG, TIDE], add: [1] })
  await send(ida, '/api/2/me/queue', {
    at: 'last',
    episodes: [3, 2].map((n) => ({ podcast: FOG, episode: `${FOG}/${n}.mp3` })),
  })
  await send(ida, '/api/2/lists/ida/create.txt?title=Sea%20air', `${FOG}\n${TIDE}\n`)
  const chapter = { start: 0, end: 60, label: 'Möwen', advertisement: true }
  await send(ida, '/api/2/chapters/ida.json', { podcast: FOG, episode: EPISODE, chapters_add: [chapter] })
  const hook = { url: 'https://hooks.example/ida', format: 'json', events: ['new_episode'] }
  await send(ida, '/api/2/me/webhook', hook, 'PUT')
  await send(ida, '/api/admin/invitations', { username: 'nils' })

  // A user with a second factor, which must still be required after an upgrade.
  await send(ida, '/api/admin/users', { username: 'vera', password: PASSWORD })
  const { answer: veraIn } = await send(clientOf(basic('vera', PASSWORD)), '/api/2/auth/vera/login.json', undefined)
  const vera = clientOf({ ...cookieOf(veraIn), origin: 'http://localhost' })
  const { json: setup } = await send<{ secret: string }>(vera, '/api/2/me/second-factor/setup', { password: PASSWORD })
  if (setup?.secret === undefined) throw new Error('the set-up of a second factor has no secret')
  await send(vera, '/api/2/me/second-factor', { code: codeOf(setup.secret, Date.now() / 1000) })

  const { answer: signedIn } = await send(ida, '/api/2/auth/ida/login.json', undefined)
  const cookie = cookieOf(signedIn)
  const appPassword = (of: object) =>
    send<{ password: string }>(clientOf({ ...cookie, origin: 'http://localhost' }), '/api/2/me/app-passwords', of)
  const { json: app } = await appPassword({ name: 'AntennaPod' })
  const isFeedKnown = async () => (await ida.get(ABOUT + encodeURIComponent(feedUrl))).text.includes('Fog over')
  for (let tries = 0; !(await isFeedKnown()); tries++) {
    if (tries === 200) throw new Error(`the server has not fetched ${feedUrl}`)
    await Bun.sleep(100)
  }
  return {
    signIns: { session: cookie, ...(app?.password && { 'app password': basic('ida', app.password) }) },
    // A quarter of the times, because each is used for every device.
    questions: questionsOf([...times].filter((_, index) => index % 4 === 0)),
  }
}

function questionsOf(times: readonly number[]): Question[] {
  const devices = ['phone', 'desk', 'kitchen', 'attic.old']
  const ida = [
    '/api/2/me',
    '/api/2/devices/ida.json',
    '/api/2/sync-devices/ida.json',
    '/subscriptions/ida.json',
    ...devices.map((device) => `/subscriptions/ida/${device}.json`),
    ...devices.flatMap((device) => times.map((time) => `/api/2/subscriptions/ida/${device}.json?since=${time}`)),
    ...times.map((time) => `/api/2/episodes/ida.json?since=${time}`),
    '/api/2/episodes/ida.json?aggregated=true',
    '/api/2/episodes/ida.json?device=desk',
    `/api/2/episodes/ida.json?podcast=${encodeURIComponent(TIDE)}`,
    '/api/2/settings/ida/account.json',
    '/api/2/settings/ida/device.json?device=phone',
    `/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(FOG)}`,
    `/api/2/settings/ida/episode.json?${CHOSEN}`,
    '/api/2/favorites/ida.json',
    '/api/2/me/folders',
    '/api/2/me/queue',
    '/api/2/updates/ida/phone.json?since=0',
    '/api/2/lists/ida.json',
    '/api/2/lists/ida/list/sea-air.txt',
    `/api/2/chapters/ida.json?${CHOSEN}`,
    '/api/2/me/webhook',
    '/api/2/me/history',
    '/api/2/me/in-progress',
    '/api/2/me/inbox?new=true',
    '/api/2/me/unplayed',
    '/search.json?q=harbour',
    '/api/2/me/search?q=uni',
    '/api/admin/users',
  ]
  const ole = ['/subscriptions/ole/phone.json', '/api/2/episodes/ole.json?since=0', '/api/2/devices/ole.json']
  return [...ida.map((path) => ({ user: 'ida', path })), ...ole.map((path) => ({ user: 'ole', path }))]
}
