import { type DemoEpisode, pathOf, type Show, showOf } from './shows.ts'

/* Users of the demo and their data, added through the API as apps would do. */

interface DemoDevice {
  readonly id: string
  readonly caption: string
  readonly type: string
  readonly shows: readonly string[]
}

export interface DemoUser {
  readonly username: string
  readonly password: string
  readonly devices: readonly DemoDevice[]
  readonly group: readonly string[]
  readonly listensOn: readonly [string, string]
}

export const DEMO_USERS: readonly DemoUser[] = [
  {
    username: 'ida',
    password: 'seaglass',
    devices: [
      {
        id: 'phone',
        caption: 'Ida’s phone',
        type: 'mobile',
        shows: ['lantern-quay', 'small-engines', 'moss-and-method', 'quarter-past-history', 'tide-tables'],
      },
      {
        id: 'laptop',
        caption: 'Ida’s laptop',
        type: 'laptop',
        shows: ['lantern-quay', 'brackwasser', 'the-unposted', 'second-breakfast-math'],
      },
      { id: 'kitchen', caption: 'Kitchen radio', type: 'other', shows: ['static-garden', 'minutes-of-the-meeting'] },
    ],
    group: ['phone', 'laptop'],
    listensOn: ['phone', 'laptop'],
  },
  {
    username: 'otto',
    password: 'driftwood',
    devices: [
      {
        id: 'mobile',
        caption: 'Otto’s mobile',
        type: 'mobile',
        shows: ['lantern-quay', 'offside-trapdoor', 'kasa-to-ame', 'quarter-past-history'],
      },
      { id: 'desktop', caption: 'Workshop', type: 'desktop', shows: ['small-engines', 'lantern-quay'] },
    ],
    group: [],
    listensOn: ['mobile', 'desktop'],
  },
  {
    username: 'tove',
    password: 'samphire',
    devices: [
      {
        id: 'tablet',
        caption: 'Tove’s tablet',
        type: 'mobile',
        shows: ['lantern-quay', 'small-engines', 'quarter-past-history', 'kasa-to-ame'],
      },
    ],
    group: [],
    listensOn: ['tablet', 'tablet'],
  },
]

export type Send = (user: DemoUser, path: string, body: unknown) => Promise<void>

export async function addDevices(send: Send, shows: readonly Show[], base: string): Promise<void> {
  for (const user of DEMO_USERS) {
    const { username, devices, group } = user
    for (const { id, caption, type, shows: slugs } of devices) {
      await send(user, `/api/2/devices/${username}/${id}.json`, { caption, type })
      const add = slugs.map((slug) => base + pathOf.feed(showOf(shows, slug)))
      await send(user, `/api/2/subscriptions/${username}/${id}.json`, { add })
    }
    if (group.length > 0) await send(user, `/api/2/sync-devices/${username}.json`, { synchronize: [group] })
  }
}

const LISTS: readonly { readonly title: string; readonly shows: readonly string[] }[] = [
  { title: 'Sea air', shows: ['lantern-quay', 'brackwasser', 'tide-tables'] },
  { title: 'Short ones', shows: ['quarter-past-history', 'second-breakfast-math'] },
]
const FAVORITES: readonly (readonly [slug: string, number: number])[] = [
  ['lantern-quay', 3],
  ['the-unposted', 1],
  ['small-engines', 6],
]

/** Adds history, favorites, lists, settings and chapters. Must follow the feeds, so that episodes have titles. */
export async function addHistory(send: Send, shows: readonly Show[], base: string): Promise<void> {
  for (const user of DEMO_USERS) await send(user, `/api/2/episodes/${user.username}.json`, historyOf(user, shows, base))
  const [ida] = DEMO_USERS
  if (!ida) return
  for (const [slug, number] of FAVORITES) {
    const query = episodeOf(shows, slug, number, base)
    await send(ida, `/api/2/settings/ida/episode.json?${new URLSearchParams(query)}`, { set: { is_favorite: true } })
  }
  for (const { title, shows: slugs } of LISTS) {
    const urls = slugs.map((slug) => base + pathOf.feed(showOf(shows, slug)))
    await send(ida, `/api/2/lists/ida/create.json?${new URLSearchParams({ title })}`, urls)
  }
  await send(ida, '/api/2/settings/ida/device.json?device=phone', { set: { auto_download: true } })
  await send(ida, '/api/2/chapters/ida.json', {
    ...episodeOf(shows, 'lantern-quay', 6, base),
    chapters_add: [
      { start: 0, end: 240, label: 'The harbour before dawn' },
      { start: 240, end: 300, label: 'Ropes, brought to you by nobody', advertisement: true },
      { start: 300, end: 1500, label: 'The pilot’s dog' },
    ],
  })
}

function episodeOf(shows: readonly Show[], slug: string, number: number, base: string) {
  const show = showOf(shows, slug)
  const episode = show.episodes.find((each) => each.number === number)
  if (!episode) throw new Error(`the demo has no episode ${number} of ${slug}`)
  return { podcast: base + pathOf.feed(show), episode: base + pathOf.audio(show, episode) }
}

interface Action {
  readonly podcast: string
  readonly episode: string
  readonly guid: string
  readonly device: string
  readonly action: 'download' | 'play' | 'delete'
  readonly timestamp: string
  readonly started?: number
  readonly position?: number
  readonly total?: number
}

const HOUR = 3600
const HEARD_MAX = 6

export function historyOf(user: DemoUser, shows: readonly Show[], base: string): Action[] {
  const slugs = new Set(user.devices.flatMap((device) => device.shows))
  return shows
    .filter(({ slug }) => slugs.has(slug))
    .flatMap((show, n) =>
      show.episodes.slice(0, HEARD_MAX).flatMap((each, age) => actionsFor(user, show, each, age, n, base)),
    )
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : Number(a.timestamp > b.timestamp)))
}

/** The newest episode is new, the next in progress, one was finished on another device, older ones in one go. */
function actionsFor(
  { listensOn: [first, second] }: DemoUser,
  show: Show,
  episode: DemoEpisode,
  age: number,
  n: number,
  base: string,
): Action[] {
  const total = episode.seconds
  // Each podcast has its own hour on release day, so that everything was played before the newest episodes came out.
  const begin = episode.released + (n + 1) * HOUR
  const at = (seconds: number) => isoOf(begin + seconds)
  const common = {
    podcast: base + pathOf.feed(show),
    episode: base + pathOf.audio(show, episode),
    guid: episode.guid,
  }
  const played = (device: string, started: number, position: number, seconds: number): Action => ({
    ...{ ...common, device, action: 'play', timestamp: at(seconds) },
    ...{ started, position, total },
  })
  const downloaded: Action = {
    ...common,
    device: first,
    action: 'download',
    timestamp: isoOf(episode.released + HOUR / 2),
  }
  const half = Math.floor(total / 2)
  switch (age) {
    case 0:
      return n % 2 === 0 ? [] : [downloaded]
    case 1:
      return [downloaded, played(first, 0, Math.floor(total / 3), Math.floor(total / 3))]
    case 2:
      return [played(first, 0, half, half), played(second, half, total, half + HOUR)]
    case 3:
      return [
        downloaded,
        played(first, 0, total, total),
        { ...common, device: first, action: 'delete', timestamp: at(total + 60) },
      ]
    default:
      return [played(first, 0, total, total)]
  }
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}
