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
  description:
    "Whether it has a picture of its own, other than the podcast's: `/artwork/{size}` with `episode` shows it.",
})

const MEDIA = 'https://cdn.tidewater.example/fog.mp3'
const url = parameter('The URL of the feed; needed.', FEED)
const EpisodeQuery = objectSchema({
  podcast: url,
  url: parameter('The URL of the media file; needed.', MEDIA),
})

/** Common part of the descriptions of lookups (docs/protocol.md#D51). */
const ON_DEMAND =
  'A feed that is not known here is fetched, if the settings allow it. Only users are told why one cannot be fetched; for others there is no such podcast. Private podcasts can be read by their own subscribers only.'

const onDemandErrors = [
  'validation_failed',
  errorResponse(
    'feed_forbidden',
    'The feed is at an address of a private network, which the server may not connect to; or the account is not active.',
    'the feed is at an address of a private network',
  ),
  'feed_invalid',
  errorResponse(
    'rate_limited',
    'More than 6 feeds that are not known here, from this address within a minute.',
    'too many attempts, try again later',
  ),
  'feed_unreachable',
  'unavailable',
] as const

const podcastErrors = [
  ...onDemandErrors,
  errorResponse(
    'unknown_podcast',
    'There is no such podcast, it cannot be fetched, or it is private to others.',
    'the server knows no such podcast',
  ),
]

const episodeErrors = [
  ...onDemandErrors,
  errorResponse(
    'unknown_episode',
    'There is no such podcast, or it has no such episode.',
    'the podcast has no such episode',
  ),
]

export const getPodcast = endpoint('Directory', 'getPodcast', 'Get what a feed says about its podcast', {
  description: ON_DEMAND,
  query: objectSchema({ url }),
  response: describedAs(PodcastModel, 'What the feed says about its podcast.'),
  example: PODCAST_EXAMPLE,
  errors: podcastErrors,
})

export const getEpisode = endpoint('Directory', 'getEpisode', 'Get what a feed says about an episode', {
  description: ON_DEMAND,
  query: EpisodeQuery,
  response: describedAs(EpisodeModel, 'What the feed says about the episode.'),
  example: EPISODE_EXAMPLE,
  errors: episodeErrors,
})

export const listEpisodes = endpoint('Directory', 'listEpisodes', 'List episodes', {
  description: ON_DEMAND,
  query: pageQueryWith({ url }),
  response: pageOf('One page of what the feed lists.', {
    url: t.String({ description: 'The feed, as the server keeps it.' }),
    episodes: t.Array(EpisodeModel, { description: 'Newest first, those without a date last.' }),
  }),
  example: { url: FEED, page: 0, per_page: 20, total: 41, total_pages: 3, episodes: [EPISODE_EXAMPLE] },
  errors: podcastErrors,
})

const state = {
  has_picture,
  state: t.Union([t.Literal('new'), t.Literal('in_progress'), t.Literal('played')]),
  position: t.Optional(integer({ description: 'Seconds; left out if unknown, as what follows.' })),
  total: t.Optional(integer({ description: 'Seconds, as the app has told.' })),
  device: t.Optional(t.String({ description: 'Which device told it.' })),
  favorite: t.Boolean(),
  season: number('Null if the feed does not say.'),
  number: number('Of the episode, in its season if there are seasons; null if the feed does not say.'),
  explicit: t.Boolean({ description: 'Whether the feed says that it is not for everybody.' }),
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

export const listOwnEpisodes = endpoint('Directory', 'listOwnEpisodes', 'List episodes with what you have heard', {
  description: ON_DEMAND,
  query: pageQueryWith({
    url,
    q: parameter('Only episodes with this in their title.', 'fog'),
    season: parameter('Only episodes of this season.', '2'),
    unplayed: parameter('`true`: without what was played to its end.', 'true'),
    order: parameter('`oldest`: the oldest first. Otherwise the newest are.', 'oldest'),
  }),
  response: pageOf('One page of what the feed lists.', {
    url: t.String({ description: 'The feed, as the server keeps it.' }),
    max_episodes: integer({ description: 'How many episodes of a podcast the server keeps, the newest ones.' }),
    seasons: t.Array(integer(), { description: 'All seasons of the podcast, the latest first.' }),
    episodes: t.Array(objectSchema({ ...EpisodeModel.properties, ...state }), {
      description: 'Of a long `description` only the beginning, without a list of chapters there.',
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
    link: t.String({ description: 'A page about the chapter; empty if there is none.' }),
    has_picture: t.Boolean({ description: '`/artwork/{size}` with `episode` and `chapter` shows it.' }),
  }),
  { description: 'By `start`.' },
)

const notes = t.Unsafe<NoteElement[]>(
  t.Array(t.Unsafe<NoteElement>(t.Object({}, { additionalProperties: true })), {
    description:
      'The description as blocks. Each has a `name` (`p`, `h`, `ul`, `ol`, `li`, `blockquote`, `pre`, `br`, `strong`, `em`, `code`, `a`, `picture`, `time`) and `children`, which are texts and further such objects. `h` has a `level`, `a` and `picture` have an `href` by http, https or mailto, and `time` has the `seconds` into the episode that its text names.',
  }),
)

export const getPodcastPage = endpoint('Directory', 'getPodcastPage', 'Get a podcast with its notes', {
  description: ON_DEMAND,
  query: objectSchema({ url }),
  response: describedObject('What the feed says about its podcast.', {
    ...PodcastModel.properties,
    notes,
    tags: t.Array(TagModel, { description: 'What the feed says that it is about, the most important first.' }),
    funding_url: t.String({ description: 'Where people can give money for it; empty if the feed does not say.' }),
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
  response: describedObject('What the feed says about the episode.', {
    ...EpisodeModel.properties,
    has_picture,
    notes,
    chapters: describedAs(Chapters, 'Those that are in the feed itself, by `start`.'),
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
  'Get the chapters of an episode that its feed names',
  {
    description: 'Those in the feed itself, or else in the file that it names, which the server fetches.',
    query: EpisodeQuery,
    response: describedObject('None if there are none, or they cannot be had.', { chapters: Chapters }),
    example: { chapters: [{ start: 520, title: 'What a pilot sees', link: '', has_picture: false }] },
    errors: episodeErrors,
  },
)

const CUE_EXAMPLE = { start: 520.5, end: 526.25, speaker: 'Ida', text: 'The horn is louder than it looks.' }

export const getTranscript = endpoint('Directory', 'getTranscript', 'Get the transcript of an episode', {
  description:
    'The file that the feed names, which the server fetches: WebVTT, SubRip, JSON of the podcast namespace, HTML or plain text, of at most 4 MiB. It is kept for an hour, and tried again after a minute at the earliest when it cannot be had.',
  query: objectSchema({ podcast: url, episode: parameter('The URL of the media file; needed.', MEDIA) }),
  response: describedObject('The transcript, or why there is none.', {
    state: t.Union(
      ['ready', 'none', 'off', 'unavailable', 'too_large', 'unreadable'].map((state) => t.Literal(state)),
      {
        description:
          '`none`: the feed names no transcript. `off`: the server connects to no other server. `unavailable`: its server does not have it or does not answer. `unreadable`: it is in no known format.',
      },
    ),
    cues: t.Array(
      objectSchema({
        start: t.Union([t.Number(), t.Null()], { description: 'Seconds; null in a transcript without times.' }),
        end: t.Union([t.Number(), t.Null()], { description: 'The same; null as well where only the start is known.' }),
        speaker: t.String({ description: 'Who speaks; empty if it is not known.' }),
        text: t.String({ description: 'Plain text, not HTML, of at most 1,000 characters.' }),
      }),
      { description: 'By `start`; at most 20,000. Short ones are joined to sentences.' },
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
      'Made by the server from the picture that the feed names, for podcasts that are known here. Pictures of private podcasts are for their own subscribers, those of episodes for users. Keep the `ETag`; when the picture is still the same, the answer to `If-None-Match` is an empty 304.',
    query: objectSchema({
      url,
      episode: parameter('The URL of the media file of an episode, whose own picture is wanted.', MEDIA),
      chapter: parameter('The `start` of a chapter of the episode, whose picture is wanted.', '520'),
    }),
    response: t.String({
      description: 'A WebP picture whose short side is as long as asked for, or shorter if the picture of the feed is.',
    }),
    formats: { 'image/webp': { example: 'RIFF…WEBP…' } },
    noContent:
      "There is no picture that can be shown. Draw one of your own, or show the podcast's in the place of an episode's.",
    errors: [
      errorResponse(
        'validation_failed',
        'There is no such size, or the URL is not valid.',
        'size must be one of 64, 128, 300, 600',
        'size',
      ),
      errorResponse(
        'unknown_podcast',
        'There is no such podcast, or it is private to others.',
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
