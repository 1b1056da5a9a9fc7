/* The sample podcasts, and what the external directory knows besides. */

export interface Show {
  readonly slug: string
  readonly title: string
  readonly author: string
  readonly description: string
  readonly tags: readonly string[]
  readonly color: readonly [number, number, number]
  /** Whether the feed itself says that it is available by HTTPS. */
  readonly isSecure?: boolean
}

export const SHOWS: readonly Show[] = [
  {
    slug: 'harbour',
    title: 'Harbour Talk',
    author: 'Tidewater Radio',
    description: 'Pilots, gulls and the people who wait for both.',
    tags: ['Society & Culture', 'Travel'],
    color: [28, 94, 120],
    isSecure: true,
  },
  {
    slug: 'kitchen',
    title: 'Kitchen Stories',
    author: 'Ida Lund',
    description: 'What people cook when nobody is looking.',
    tags: ['Food', 'Society & Culture'],
    color: [196, 92, 48],
    isSecure: true,
  },
  {
    slug: 'night',
    title: 'Night Trains',
    author: 'Slow Tracks',
    description: 'Across a continent while it sleeps.',
    tags: ['Travel'],
    color: [34, 40, 84],
  },
  {
    slug: 'orbit',
    title: 'Low Orbit',
    author: 'Space Desk',
    description: 'What flies above us, and who pays for it.',
    tags: ['Science', 'News'],
    color: [70, 60, 130],
  },
  {
    slug: 'moss',
    title: 'Moss & Lichen',
    author: 'Field Notes Collective',
    description: 'Small green things, at length.',
    tags: ['Science', 'Nature'],
    color: [60, 110, 58],
  },
  {
    slug: 'ledger',
    title: 'The Ledger',
    author: 'Counting House',
    description: 'Money, explained by those who have to count it.',
    tags: ['Business', 'News'],
    color: [120, 96, 40],
    isSecure: true,
  },
  {
    slug: 'sauna',
    title: 'Saunan lämpö',
    author: 'Yle-henkiset',
    description: 'Keskusteluja löylyn äärellä.',
    tags: ['Society & Culture'],
    color: [140, 54, 46],
  },
  {
    slug: 'tokyo',
    title: '東京ポッドキャスト',
    author: '港区ラジオ',
    description: '街の音と、そこに住む人の声。',
    tags: ['Travel', 'Society & Culture'],
    color: [170, 40, 70],
  },
  {
    slug: 'chess',
    title: 'Knight Moves',
    author: 'The Board',
    description: 'Sixty-four squares, one story each.',
    tags: ['Leisure', 'Games'],
    color: [50, 54, 58],
  },
  {
    slug: 'choir',
    title: 'Choir Practice',
    author: 'Alt and Friends',
    description: 'Singing together, badly and well.',
    tags: ['Music'],
    color: [98, 50, 110],
  },
  {
    slug: 'weather',
    title: 'Weather Permitting',
    author: 'Barometer',
    description: 'Forecasts of yesterday, classified today.',
    tags: ['Science', 'Nature'],
    color: [56, 120, 150],
  },
  {
    slug: 'local',
    title: 'Town Hall Tapes',
    author: 'The Gazette',
    description: 'Council meetings, edited with love.',
    tags: ['News', 'Government'],
    color: [90, 80, 70],
  },
]

/** The notes of the newest episode, with everything that notes may contain. */
export const RICH_NOTES = `<p>Fog came in at four, and <strong>nobody</strong> went home. Jon Aske has piloted ships into this harbour for <em>thirty-one</em> years;
we sat with him in the station while the horn did the talking.</p><h3>In this episode</h3>
<ul><li>00:00 The horn, and why it has two notes</li><li>08:40 What a pilot sees when there is nothing to see</li><li>21:15 Gulls:<ul><li>their opinion of fog</li><li>ours of gulls</li></ul></li></ul>
<p>Further reading:</p><ol><li><a href="https://tidewater.example/fog">A short history of fog signals</a></li><li><a href="https://tidewater.example/pilots">The pilots’ own page</a>, with pictures</li></ol>
<blockquote><p>You do not wait for the fog to lift. You wait for it to get bored.</p></blockquote>
<p>The horn’s rhythm, for your own collection: <code>2s on, 4s off</code>.</p><pre>--____--____--____
  N     N     N</pre><p>Write to us: <a href="mailto:fog@tidewater.example">fog@tidewater.example</a>.</p>`

export const TITLES = [
  'Fog',
  'The long way round',
  'A letter from the coast',
  'Two chairs',
  'What the horn says',
  'Before breakfast',
  'The second bridge',
]

/** The podcasts of the external directory: title, author and description. */
export const ELSEWHERE: readonly (readonly [string, string, string])[] = [
  ['Harbour Lights', 'Coastal Audio', 'Lighthouses, and who still looks after them.'],
  ['The Harbour Pilots', 'North Sea Sound', 'Six pilots, one estuary, all weathers.'],
  ['Salt and Signal', 'Radio Skerry', 'Shipping news from the days of Morse to satellites.'],
  ['Deep Rivers', 'Delta Voices', 'Down nine rivers by boat, slowly.'],
  ['Night Ferry', 'Passage Press', 'Stories told between two ports.'],
  ['The Knot Show', 'Rope & Co', 'One knot each week, and what it held.'],
  ['Tidal', 'Moon Desk', 'Everything that comes and goes with the moon.'],
  ['Breakwater', 'Stone & Sea', 'How coasts are kept, and when they are let go.'],
]
