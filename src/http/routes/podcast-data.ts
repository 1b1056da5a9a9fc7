import { Elysia, t } from 'elysia'
import type { PodcastLookup } from '../../domain/podcast-lookup.ts'
import { askerOf } from '../asker.ts'
import { type Gatekeeper, visitorPlugin } from '../auth.ts'
import { allowCachingFor } from '../caching.ts'
import { EpisodeModel, toEpisodeJson } from '../episode-json.ts'
import { PODCAST_EXAMPLE } from '../list-examples.ts'
import { ErrorModel, PAGE_PARAMETERS } from '../models.ts'
import { json, operation } from '../operation.ts'
import type { Origins } from '../origin.ts'
import { pageEnvelope, parsePaging } from '../paging.ts'
import { PodcastModel, toPodcastJson } from '../podcast-json.ts'
import { describedAs, shape } from '../shape.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const url = t.Optional(t.String({ description: 'The URL of the feed; needed.', examples: [FEED] }))

const PodcastQuery = shape({ url })
const EpisodesQuery = shape({ url, ...PAGE_PARAMETERS })
const EpisodeQuery = shape({
  podcast: url,
  url: t.Optional(
    t.String({
      description: 'The URL of the media file; needed.',
      examples: ['https://cdn.tidewater.example/fog.mp3'],
    }),
  ),
})

const EpisodePage = shape(
  {
    url: t.String({ description: 'The feed, as the server keeps it.' }),
    page: t.Integer(),
    per_page: t.Integer(),
    total: t.Integer(),
    total_pages: t.Integer(),
    episodes: t.Array(EpisodeModel, { description: 'Newest first, those without a date last.' }),
  },
  { description: 'One page of what the feed lists.' },
)

const EPISODE: typeof EpisodeModel.static = {
  title: 'Fog',
  url: 'https://cdn.tidewater.example/fog.mp3',
  podcast_title: 'Harbour Talk',
  podcast_url: FEED,
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

const unknown = {
  404: {
    description: 'There is no such podcast, it cannot be had, or it is private to others.',
    error: 'unknown_podcast',
    message: 'the server knows no such podcast',
  },
} as const
const limited = {
  429: {
    description: 'More than 6 feeds that nobody here has, from this address within a minute.',
    error: 'rate_limited',
    message: 'too many attempts, try again later',
  },
} as const
const errors = {
  400: ErrorModel,
  403: ErrorModel,
  404: ErrorModel,
  422: ErrorModel,
  429: ErrorModel,
  502: ErrorModel,
  503: ErrorModel,
}
const onDemand =
  'A feed that nobody here has is fetched, if the settings allow it. Why one cannot be had is told to people with an account alone; for others there is no such podcast. Private podcasts are there for their own subscribers.'

export interface PodcastDataParts {
  readonly lookup: PodcastLookup
  readonly gatekeeper: Gatekeeper
  readonly origins: Origins
}

/** protocol.md section 10 and 18.6: what feeds say. */
export function podcastDataRoutes({ lookup, gatekeeper, origins }: PodcastDataParts) {
  return new Elysia()
    .use(visitorPlugin(gatekeeper))
    .get(
      '/api/2/data/podcast.json',
      async ({ request, visitor, query, set }) => {
        const podcast = await lookup.podcast(query.url ?? '', askerOf(request, visitor, origins))
        allowCachingFor(visitor, set)
        return toPodcastJson(podcast, origins.baseOf(request))
      },
      {
        isForAll: true,
        query: PodcastQuery,
        response: { 200: describedAs(PodcastModel, 'What the feed says of itself.'), ...errors },
        detail: operation('Directory', '/api/2/data/podcast.json', 'getPodcast', 'Read what a feed says of itself', {
          description: onDemand,
          'x-credentials': 'optional',
          'x-response': json(PODCAST_EXAMPLE),
          'x-refusals': { ...unknown, ...limited },
        }),
      },
    )
    .get(
      '/api/2/data/episode.json',
      async ({ request, visitor, query, set }) => {
        const asker = askerOf(request, visitor, origins)
        const episode = await lookup.episode(query.podcast ?? '', query.url ?? '', asker)
        allowCachingFor(visitor, set)
        return toEpisodeJson(episode, origins.baseOf(request))
      },
      {
        isForAll: true,
        query: EpisodeQuery,
        response: { 200: describedAs(EpisodeModel, 'What the feed says of the episode.'), ...errors },
        detail: operation(
          'Directory',
          '/api/2/data/episode.json',
          'getEpisode',
          'Read what a feed says of an episode',
          {
            description: onDemand,
            'x-credentials': 'optional',
            'x-response': json(EPISODE),
            'x-refusals': {
              404: {
                description: 'There is no such podcast, or it has no such episode.',
                error: 'unknown_episode',
                message: 'the podcast has no such episode',
              },
              ...limited,
            },
          },
        ),
      },
    )
    .get(
      '/api/2/data/podcast/episodes.json',
      async ({ request, visitor, query, set }) => {
        const paging = parsePaging(query)
        const asker = askerOf(request, visitor, origins)
        const { url, total, episodes } = await lookup.episodes(query.url ?? '', paging, asker)
        allowCachingFor(visitor, set)
        const base = origins.baseOf(request)
        return {
          url,
          ...pageEnvelope(paging, total),
          episodes: episodes.map((episode) => toEpisodeJson(episode, base)),
        }
      },
      {
        isForAll: true,
        query: EpisodesQuery,
        response: { 200: EpisodePage, ...errors },
        detail: operation('Directory', '/api/2/data/podcast/episodes.json', 'listEpisodes', 'List episodes', {
          description: onDemand,
          'x-credentials': 'optional',
          'x-response': json({ url: FEED, page: 0, per_page: 20, total: 41, total_pages: 3, episodes: [EPISODE] }),
          'x-refusals': { ...unknown, ...limited },
        }),
      },
    )
}
