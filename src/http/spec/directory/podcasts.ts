import { t } from 'elysia'
import type { NoteElement } from '../../../formats/notes.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedAs,
  describedObject,
  integer,
  objectSchema,
  pageOf,
  pageQueryWith,
  parameter,
} from '../shared/models.ts'
import { PODCAST_EXAMPLE, PodcastModel } from '../shared/podcast.ts'
import { TagModel } from './directory.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'

const number = (description: string) => t.Union([integer(), t.Null()], { description })

/** The episode object of docs/protocol.md#episode-object and D21. All keys are always present. */
export const EpisodeModel = objectSchema({
  title: t.String({ description: 'The media URL while no title is known.' }),
  url: t.String({ description: 'URL of the media file.' }),
  podcast_title: t.String(),
  podcast_url: t.String(),
  description: t.String({ description: 'Plain text.' }),
  website: t.String(),
  released: t.String({ description: 'UTC; `""` if unknown.' }),
  mygpo_link: t.String(),
  guid: t.String(),
  duration: number('Seconds; null if unknown.'),
  size: number('Bytes; null if unknown.'),
  mime_type: t.String(),
  image_url: t.String(),
  chapters_url: t.String(),
  transcript_url: t.String(),
})

/** Fictitious, like all hosts under `.example`. */
export const EPISODE_EXAMPLE: typeof EpisodeModel.static = {
  title: 'Fog',
  url: 'https://cdn.tidewater.example/fog.mp3',
  podcast_title: 'Harbour Talk',
  podcast_url: 'https://feeds.tidewater.example/harbour.xml',
  description: 'What the horn says.',
  website: 'https://tidewater.example/harbour/fog',
  released: '2025-03-02T06:00:00',
  mygpo_link:
    'https://pods.example/episode?podcast=https%3A%2F%2Ffeeds.tidewater.example%2Fharbour.xml&url=https%3A%2F%2Fcdn.tidewater.example%2Ffog.mp3',
  guid: 'tag:tidewater.example,2025:fog',
  duration: 1830,
  size: 29_300_000,
  mime_type: 'audio/mpeg',
  image_url: '',
  chapters_url: '',
  transcript_url: '',
}

/** Tells pages to show the episode's own picture rather than the podcast's. */
export const has_picture = t.Boolean({
  description: "Whether it has its own picture, different from the podcast's, at `/artwork/{size}` with `episode`.",
})

const MEDIA = 'https://cdn.tidewater.example/fog.mp3'
const url = parameter('Feed URL; required.', FEED)
const EpisodeQuery = objectSchema({
  podcast: url,
  url: parameter('URL of the media file; required.', MEDIA),
})

/** Common part of the descriptions of lookups (docs/protocol.md#D51). */
const ON_DEMAND =
  'Fetches a feed that the server does not know, if the settings allow it. Only signed-in users learn why a feed cannot be fetched; others get `unknown_podcast` or `unknown_episode`. Only subscribers can read private podcasts.'

const onDemandErrors = [
  'validation_failed',
  errorResponse(
    'feed_forbidden',
    'The feed is at an address in a private network, to which the server may not connect; or the account is not active.',
    'the feed is at an address of a private network',
  ),
  'feed_invalid',
  errorResponse(
    'rate_limited',
    'More than 6 feeds that the server does not know, from this address within a minute.',
    'too many attempts, try again later',
  ),
  'feed_unreachable',
  'unavailable',
] as const

const podcastErrors = [
  ...onDemandErrors,
  errorResponse(
    'unknown_podcast',
    'The podcast does not exist, cannot be fetched, or is private to other users.',
    'the server knows no such podcast',
  ),
]

const episodeErrors = [
  ...onDemandErrors,
  errorResponse(
    'unknown_episode',
    'The podcast does not exist, or has no such episode.',
    'the podcast has no such episode',
  ),
]

export const getPodcast = endpoint('Directory', 'getPodcast', 'Get a podcast', {
  description: ON_DEMAND,
  query: objectSchema({ url }),
  response: describedAs(PodcastModel, 'The podcast, according to its feed.'),
  example: PODCAST_EXAMPLE,
  errors: podcastErrors,
})

export const getEpisode = endpoint('Directory', 'getEpisode', 'Get an episode', {
  description: ON_DEMAND,
  query: EpisodeQuery,
  response: describedAs(EpisodeModel, 'The episode, according to the feed.'),
  example: EPISODE_EXAMPLE,
  errors: episodeErrors,
})

export const listEpisodes = endpoint('Directory', 'listEpisodes', 'List episodes', {
  description: ON_DEMAND,
  query: pageQueryWith({ url }),
  response: pageOf('A page of the episodes in the feed.', {
    url: t.String({ description: 'Feed URL, as stored by the server.' }),
    episodes: t.Array(EpisodeModel, { description: 'Newest first; episodes without a date last.' }),
  }),
  example: { url: FEED, page: 0, per_page: 20, total: 41, total_pages: 3, episodes: [EPISODE_EXAMPLE] },
  errors: podcastErrors,
})

const state = {
  has_picture,
  state: t.Union([t.Literal('new'), t.Literal('in_progress'), t.Literal('played')]),
  position: t.Optional(integer({ description: 'Seconds. Missing if unknown, like `total` and `device`.' })),
  total: t.Optional(integer({ description: 'Length in seconds, as reported by the app.' })),
  device: t.Optional(t.String({ description: 'Device that reported it.' })),
  favorite: t.Boolean(),
  season: number('Season; null if the feed does not say.'),
  number: number('Number of the episode, within its season if there are seasons; null if the feed does not say.'),
  explicit: t.Boolean({ description: 'Whether the feed marks it as explicit.' }),
}
const STATE_EXAMPLE = {
  has_picture: false,
  state: 'in_progress',
  position: 61,
  total: 1800,
  device: 'ida-pixel',
  favorite: false,
  season: 2,
  number: 5,
  explicit: false,
} as const

export const listOwnEpisodes = endpoint('Directory', 'listOwnEpisodes', 'List episodes with your listening positions', {
  description: ON_DEMAND,
  query: pageQueryWith({
    url,
    q: parameter('Only episodes with this text in their title.', 'fog'),
    season: parameter('Only episodes of this season.', '2'),
    unplayed: parameter('`true`: only episodes that were not played to the end.', 'true'),
    order: parameter('`oldest`: oldest first; otherwise newest first.', 'oldest'),
  }),
  response: pageOf('A page of the episodes in the feed.', {
    url: t.String({ description: 'Feed URL, as stored by the server.' }),
    max_episodes: integer({ description: 'Number of episodes that the server keeps per podcast, the newest ones.' }),
    seasons: t.Array(integer(), { description: 'All seasons of the podcast, latest first.' }),
    episodes: t.Array(objectSchema({ ...EpisodeModel.properties, ...state }), {
      description: 'A long `description` is cut off, and a list of chapters in it left out.',
    }),
  }),
  example: {
    ...{ url: FEED, page: 0, per_page: 20, total: 41, total_pages: 3, max_episodes: 2000, seasons: [2, 1] },
    episodes: [{ ...EPISODE_EXAMPLE, ...STATE_EXAMPLE }],
  },
  errors: podcastErrors,
})

const Chapters = t.Array(
  objectSchema({
    start: integer({ description: 'Seconds.' }),
    title: t.String(),
    link: t.String({ description: 'URL of a page about the chapter; empty if it has none.' }),
    has_picture: t.Boolean({
      description: 'Whether it has a picture, at `/artwork/{size}` with `episode` and `chapter`.',
    }),
  }),
  { description: 'Sorted by `start`.' },
)

const notes = t.Unsafe<NoteElement[]>(
  t.Array(t.Unsafe<NoteElement>(t.Object({}, { additionalProperties: true })), {
    description:
      'The description as blocks. Each has a `name` (`p`, `h`, `ul`, `ol`, `li`, `blockquote`, `pre`, `br`, `strong`, `em`, `code`, `a`, `picture`, `time`) and `children`: texts and nested blocks. `h` has a `level`, `a` and `picture` have an `href` with http, https or mailto, and `time` has `seconds`, the position in the episode that its text names.',
  }),
)

export const getPodcastPage = endpoint('Directory', 'getPodcastPage', 'Get a podcast with its notes', {
  description: ON_DEMAND,
  query: objectSchema({ url }),
  response: describedObject('The podcast, according to its feed.', {
    ...PodcastModel.properties,
    notes,
    tags: t.Array(TagModel, { description: 'Categories of the podcast according to its feed, most important first.' }),
    funding_url: t.String({ description: 'Page for supporting the podcast with money; empty if the feed names none.' }),
  }),
  example: {
    ...PODCAST_EXAMPLE,
    notes: [{ name: 'p', children: ['Pilots, gulls and the people who wait for both.'] }],
    tags: [{ title: 'Society & Culture', tag: 'society-culture', usage: 4 }],
    funding_url: 'https://tidewater.example/support',
  },
  errors: podcastErrors,
})

export const getEpisodePage = endpoint('Directory', 'getEpisodePage', 'Get an episode with its notes', {
  description: ON_DEMAND,
  query: EpisodeQuery,
  response: describedObject('The episode, according to the feed.', {
    ...EpisodeModel.properties,
    has_picture,
    notes,
    chapters: describedAs(Chapters, 'Chapters in the feed itself, sorted by `start`.'),
    season: state.season,
    number: state.number,
    explicit: state.explicit,
  }),
  example: {
    ...EPISODE_EXAMPLE,
    has_picture: false,
    notes: [{ name: 'p', children: ['What the ', { name: 'em', children: ['horn'] }, ' says.'] }],
    chapters: [{ start: 520, title: 'What a pilot sees', link: '', has_picture: false }],
    season: 2,
    number: 5,
    explicit: false,
  },
  errors: episodeErrors,
})

export const listFeedChapters = endpoint(
  'Directory',
  'listFeedChapters',
  'Get the chapters of an episode from its feed',
  {
    description: 'Chapters in the feed itself, or else in the file that it links to, which the server fetches.',
    query: EpisodeQuery,
    response: describedObject('The chapters; empty if there are none or the file is not available.', {
      chapters: Chapters,
    }),
    example: { chapters: [{ start: 520, title: 'What a pilot sees', link: '', has_picture: false }] },
    errors: episodeErrors,
  },
)

const CUE_EXAMPLE = { start: 520.5, end: 526.25, speaker: 'Ida', text: 'The horn is louder than it looks.' }

export const getTranscript = endpoint('Directory', 'getTranscript', 'Get the transcript of an episode', {
  description:
    'Read from the file that the feed links to, which the server fetches: WebVTT, SubRip, JSON of the podcast namespace, HTML or plain text, of at most 4 MiB. It is cached for an hour. A failed fetch is repeated after a minute at the earliest.',
  query: objectSchema({ podcast: url, episode: parameter('URL of the media file; required.', MEDIA) }),
  response: describedObject('The transcript, or the reason why there is none.', {
    state: t.Union(
      ['ready', 'none', 'off', 'unavailable', 'too_large', 'unreadable'].map((state) => t.Literal(state)),
      {
        description:
          '`none`: the feed names no transcript. `off`: the server does not connect to other servers. `unavailable`: the server of the file does not have it or does not respond. `unreadable`: the format is unknown.',
      },
    ),
    cues: t.Array(
      objectSchema({
        start: t.Union([t.Number(), t.Null()], { description: 'Seconds; null in a transcript without times.' }),
        end: t.Union([t.Number(), t.Null()], { description: 'Seconds; also null if only the start is known.' }),
        speaker: t.String({ description: 'Name of the speaker; empty if unknown.' }),
        text: t.String({ description: 'Plain text, not HTML, of at most 1,000 characters.' }),
      }),
      { description: 'Sorted by `start`; at most 20,000. Short cues are joined into sentences.' },
    ),
  }),
  example: { state: 'ready', cues: [CUE_EXAMPLE] },
  errors: episodeErrors,
})

export const getArtwork = endpoint(
  'Directory',
  'getArtwork',
  'Fetch the picture of a podcast, an episode or a chapter',
  {
    description:
      'Made by the server from the picture that the feed names, for podcasts that the server knows. Pictures of private podcasts are for their own subscribers only, and pictures of episodes for users only. Keep the `ETag`: while the picture is unchanged, the response to `If-None-Match` is an empty 304.',
    query: objectSchema({
      url,
      episode: parameter('URL of the media file of an episode, to get its own picture.', MEDIA),
      chapter: parameter('The `start` of a chapter of the episode, to get its picture.', '520'),
    }),
    response: t.String({
      description: 'A WebP picture. Its short side has the requested length, or less if the original is smaller.',
    }),
    formats: { 'image/webp': { example: 'RIFF…WEBP…' } },
    noContent: "There is no usable picture. Draw a placeholder, or show the podcast's picture for the episode.",
    errors: [
      errorResponse(
        'validation_failed',
        'The size or a URL is invalid.',
        'size must be one of 64, 128, 300, 600',
        'size',
      ),
      errorResponse(
        'unknown_podcast',
        'The podcast does not exist, or is private to other users.',
        'the server knows no such podcast',
      ),
      errorResponse('unknown_episode', 'The podcast has no such episode.', 'the podcast has no such episode'),
      errorResponse(
        'unavailable',
        'Too many pictures are being fetched, or the server is stopping.',
        'too many pictures are being fetched, try again later',
      ),
    ],
  },
)
