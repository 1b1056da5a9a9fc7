import { escapeXml } from '../formats/xml-scan.ts'

/*
 * The podcasts of the demo. All is invented and, except for dates, the same at every start, so that tests of apps can
 * name it.
 */
/* Podcasts of the demo. Invented, and the same at every start except for dates, so that tests can name them. */

export interface Show {
  readonly slug: string
  readonly title: string
  readonly author: string
  readonly language: string
  readonly category: string
  readonly description: string
  readonly daysBetween: number
  readonly hasCover: boolean
  readonly episodes: readonly DemoEpisode[]
}

export interface DemoEpisode {
  readonly number: number
  readonly title: string
  readonly notes: string
  readonly guid: string
  /** Unix seconds. */
  readonly released: number
  readonly seconds: number
  /** With a picture of its own, as some episodes are. */
  readonly hasPicture: boolean
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const FIXED_NEWEST = Date.UTC(2025, 5, 30, 6) / 1000

export function newestAt(now: number): number {
  return FIXED_NEWEST + Math.floor((now - HOUR - FIXED_NEWEST) / DAY) * DAY
}

interface Draft {
  readonly slug: string
  readonly title: string
  readonly author: string
  readonly language?: string
  readonly category: string
  readonly description: string
  readonly daysBetween: number
  readonly minutes: readonly [shortest: number, longest: number]
  readonly hasCover?: boolean
  readonly pictured?: number
  readonly titles: readonly string[]
}

const draftsOf = (newest: number): readonly Draft[] => [
  {
    slug: 'lantern-quay',
    title: 'Lantern Quay',
    author: 'Maren Holt and Ines Okafor',
    category: 'Society & Culture',
    description: 'Pilots, ferry cooks and night watchmen tell what a harbour does while the town sleeps.',
    daysBetween: 7,
    minutes: [28, 44],
    pictured: 8,
    titles: [
      'The last paper chart',
      'Eleven tonnes of oranges',
      'A dog on the pilot boat',
      'What the crane driver sees',
      'Fog, and how to hear through it',
      'The woman who paints hulls',
      'Low water, 4 a.m.',
      'How to tie up a mistake',
    ],
  },
  {
    slug: 'small-engines',
    title: 'Small Engines, Large Questions',
    author: 'Ruben Aldous',
    category: 'Technology',
    description:
      'One machine a week, taken apart on a kitchen table: how it works, who thought of it, and what went wrong.',
    daysBetween: 7,
    minutes: [35, 58],
    titles: [
      'The pop-up toaster',
      'A lawn mower from 1961',
      'Why zips jam',
      'The ticket machine that gave change to everybody',
      'Two-stroke, four-stroke, heatstroke',
      'A clock that runs on temperature',
    ],
  },
  {
    slug: 'moss-and-method',
    title: 'Moss & Method',
    author: 'The Fenwright Field Station',
    category: 'Science',
    description: 'Field biology for people with wet boots. Each season follows one square metre of ground for a year.',
    daysBetween: 14,
    minutes: [22, 31],
    pictured: 3,
    titles: [
      'Everything at once',
      'The slug census',
      'Who ate the label?',
      'Frogs, counted twice',
      'Ice needles',
      'Nothing happens, slowly',
    ],
  },
  {
    slug: 'quarter-past-history',
    title: 'Quarter Past History',
    author: 'Tamsin Arkwell',
    category: 'History',
    description: 'Fifteen minutes about an afternoon that nobody wrote a book about.',
    daysBetween: 3,
    minutes: [14, 16],
    titles: [
      'The strike of the lamplighters',
      'A census taker gets lost',
      'The borrowed cannon',
      'Bread, 2 pence',
      'The bridge that opened on the wrong day',
      'An election decided by rain',
      'The first timetable',
      'Who moved the milestone?',
      'A treaty signed in a barn',
      'The town that skipped a Tuesday',
    ],
  },
  {
    slug: 'brackwasser',
    title: 'Brackwasser – Gespräche über Küste',
    author: 'Jörn Süßmilch',
    language: 'de',
    category: 'Society & Culture',
    description: 'Deichgräfinnen, Krabbenfischer und Leute, die am Meer wohnen müssen oder dürfen.',
    daysBetween: 10,
    minutes: [40, 65],
    titles: [
      'Möwen zählen für Anfänger',
      'Der Deich ist müde',
      'Süßwasser, Salzwasser, Kaffeewasser',
      'Fähre fällt aus',
      'Übermorgen ist Sturmflut',
    ],
  },
  {
    slug: 'the-unposted',
    title: 'The Unposted Letters',
    author: 'Dalia Merrow',
    category: 'Fiction',
    description: 'A radio play in ten parts: a sorting office finds a sack that should have left in 1934.',
    daysBetween: 7,
    minutes: [24, 33],
    titles: [
      'Part 10: Return to sender',
      'Part 9: The blue envelope',
      'Part 8: Insufficient postage',
      'Part 7: Poste restante',
      'Part 6: A stamp from nowhere',
      'Part 5: The night sorter',
      'Part 4: Miss Quill answers',
      'Part 3: Registered',
      'Part 2: The sack',
      'Part 1: A shelf gives way',
    ],
  },
  {
    slug: 'second-breakfast-math',
    title: 'Second Breakfast Mathematics',
    author: 'Priya Sandoval',
    category: 'Education',
    description: 'Proofs that fit between toast and tea. No blackboard needed.',
    daysBetween: 7,
    minutes: [18, 27],
    titles: [
      'Cutting a cake that nobody can see',
      'Why there is always another prime',
      'A sock drawer with infinitely many socks',
      'The map that needs four colours',
      'Knots you cannot tie',
      'Half of half of half',
    ],
  },
  {
    slug: 'offside-trapdoor',
    title: 'Offside Trapdoor',
    author: 'Kit Bramley & Noor Haddad',
    category: 'Sports',
    description: 'Two referees of the lowest league there is talk about Sunday.',
    daysBetween: 7,
    minutes: [48, 70],
    titles: [
      'Nineteen goals and a tractor',
      'The goalkeeper who read the paper',
      'Abandoned because of sheep',
      'A yellow card for the linesman',
      'Extra time, extra rain',
    ],
  },
  {
    slug: 'static-garden',
    title: 'Static Garden',
    author: 'Oskar Lindqvist',
    category: 'Music',
    description: 'Field recordings, tape loops and one long note a month.',
    daysBetween: 28,
    minutes: [52, 60],
    hasCover: false,
    titles: ['A fridge in F', 'Rain on four roofs', 'The tram wire', 'Snow, unedited'],
  },
  {
    slug: 'minutes-of-the-meeting',
    title: 'Minutes of the Meeting',
    author: 'The Parish of Little Over',
    category: 'Comedy',
    description: 'A parish council, minuted without mercy. Apologies for absence were received.',
    daysBetween: 14,
    minutes: [20, 30],
    titles: [
      'Item 4: the bench',
      'Any other business',
      'Item 4: the bench (continued)',
      'Extraordinary meeting about ordinary bins',
      'Matters arising',
    ],
  },
  {
    slug: 'kasa-to-ame',
    title: '傘と雨の話',
    author: '小野寺 つむぎ',
    language: 'ja',
    category: 'Arts',
    description: '雨の日に聞く、道具と手仕事の話。',
    daysBetween: 14,
    minutes: [16, 24],
    titles: ['竹の骨', '油紙のにおい', '駅に忘れた一本', '雨の名前'],
  },
  {
    slug: 'tide-tables',
    title: 'Tide Tables, Read Aloud',
    author: 'Station Four',
    category: 'News',
    description: 'High water and low water, every morning. A long feed, for apps that page.',
    daysBetween: 1,
    minutes: [3, 5],
    titles: Array.from({ length: 150 }, (_, n) => `Tides of ${dayOf(newest - n * DAY)}`),
  },
]

export function createShows(newest: number): readonly Show[] {
  return draftsOf(newest).map((draft) => ({
    ...draft,
    language: draft.language ?? 'en',
    hasCover: draft.hasCover ?? true,
    episodes: draft.titles.map((title, n) => toEpisode(draft, title, n, newest)),
  }))
}

export function showOf(shows: readonly Show[], slug: string): Show {
  const show = shows.find((each) => each.slug === slug)
  if (!show) throw new Error(`the demo has no podcast ${slug}`)
  return show
}

export const pathOf = {
  feed: ({ slug }: Show) => `/demo/${slug}.xml`,
  cover: ({ slug }: Show) => `/demo/${slug}.png`,
  picture: ({ slug }: Show, { number }: DemoEpisode) => `/demo/${slug}/${number}.png`,
  page: ({ slug }: Show) => `/demo/${slug}`,
  audio: ({ slug }: Show, { number }: DemoEpisode) => `/demo/${slug}/${number}.mp3`,
}

function toEpisode(draft: Draft, title: string, n: number, newest: number): DemoEpisode {
  const { slug, description, daysBetween, minutes, titles, pictured = 0 } = draft
  const number = titles.length - n
  const [shortest, longest] = minutes
  const spread = (longest - shortest) * MINUTE
  return {
    number,
    title,
    notes: `<p>${escapeXml(title)}</p><p>${escapeXml(description)}</p><p>More at <a href="https://example.org/">example.org</a>.</p>`,
    guid: `${slug}-${number}`,
    released: newest - n * daysBetween * DAY,
    seconds: shortest * MINUTE + (seedOf(`${slug} ${number}`) % (spread + 1)),
    hasPicture: n < pictured,
  }
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

export function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}
