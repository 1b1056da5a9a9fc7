/* The sample podcasts, and what the external directory knows besides. */

export interface Show {
  readonly slug: string
  readonly title: string
  readonly author: string
  readonly description: string
  readonly tags: readonly string[]
  /** As `0xrrggbb`. */
  readonly color: number
  /** Whether the feed itself says that it is available by HTTPS. */
  readonly isSecure: boolean
}

/** The podcasts whose feed says that it is available by HTTPS. */
const SECURE = ['harbour', 'kitchen', 'ledger']

/** Slug, title, author, description, tags, and colour as in CSS. */
const ROWS = [
  'harbour|Harbour Talk|Tidewater Radio|Pilots, gulls and the people who wait for both.|Society & Culture, Travel|1c5e78',
  'kitchen|Kitchen Stories|Ida Lund|What people cook when nobody is looking.|Food, Society & Culture|c45c30',
  'night|Night Trains|Slow Tracks|Across a continent while it sleeps.|Travel|222854',
  'orbit|Low Orbit|Space Desk|What flies above us, and who pays for it.|Science, News|463c82',
  'moss|Moss & Lichen|Field Notes Collective|Small green things, at length.|Science, Nature|3c6e3a',
  'ledger|The Ledger|Counting House|Money, explained by those who have to count it.|Business, News|786028',
  'sauna|Saunan lämpö|Yle-henkiset|Keskusteluja löylyn äärellä.|Society & Culture|8c362e',
  'tokyo|東京ポッドキャスト|港区ラジオ|街の音と、そこに住む人の声。|Travel, Society & Culture|aa2846',
  'chess|Knight Moves|The Board|Sixty-four squares, one story each.|Leisure, Games|32363a',
  'choir|Choir Practice|Alt and Friends|Singing together, badly and well.|Music|62326e',
  'weather|Weather Permitting|Barometer|Forecasts of yesterday, checked today.|Science, Nature|387896',
  'local|Town Hall Tapes|The Gazette|Council meetings, edited with love.|News, Government|5a5046',
]

export const SHOWS: readonly Show[] = ROWS.map((row) => {
  const [slug = '', title = '', author = '', description = '', tags = '', color = ''] = row.split('|')
  return {
    ...{ slug, title, author, description },
    tags: tags.split(', '),
    color: Number.parseInt(color, 16),
    isSecure: SECURE.includes(slug),
  }
})

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
