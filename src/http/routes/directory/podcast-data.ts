import { Elysia, t } from 'elysia'
import type { Podcasts } from '../../../domain/directory/podcasts.ts'
import { type AuthGuard, optionalAuthPlugin } from '../../auth.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { pageEnvelope, parsePaging } from '../../requests/paging.ts'
import { lookupPrincipalOf } from '../../requests/principal.ts'
import { allowCachingFor } from '../../responses/caching.ts'
import { EPISODE_EXAMPLE, EpisodeModel, toEpisodeJson } from '../../spec/directory/episode-json.ts'
import {
  ON_DEMAND,
  onDemandEpisodeErrorExamples,
  onDemandErrorExamples,
  onDemandErrors,
} from '../../spec/directory/on-demand.ts'
import { PODCAST_EXAMPLE } from '../../spec/shared/list-examples.ts'
import { PAGE_PARAMETERS } from '../../spec/shared/models.ts'
import { PodcastModel, toPodcastJson } from '../../spec/shared/podcast-json.ts'
import { describedAs, objectSchema } from '../../spec/shared/schema.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const url = t.Optional(t.String({ description: 'The URL of the feed; needed.', examples: [FEED] }))

const PodcastQuery = objectSchema({ url })
const EpisodesQuery = objectSchema({ url, ...PAGE_PARAMETERS })
const EpisodeQuery = objectSchema({
  podcast: url,
  url: t.Optional(
    t.String({
      description: 'The URL of the media file; needed.',
      examples: ['https://cdn.tidewater.example/fog.mp3'],
    }),
  ),
})

const EpisodePage = objectSchema(
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

export interface PodcastDataParts {
  readonly lookup: Podcasts
  readonly authGuard: AuthGuard
  readonly origins: Origins
}

/** docs/protocol.md#directory and #episodes-of-a-podcast: what feeds say. */
export function podcastDataRoutes({ lookup, authGuard, origins }: PodcastDataParts) {
  return new Elysia()
    .use(optionalAuthPlugin(authGuard))
    .get(
      '/api/2/data/podcast.json',
      async ({ request, principal, query, set }) => {
        const podcast = await lookup.podcast(query.url ?? '', lookupPrincipalOf(request, principal, origins))
        allowCachingFor(principal, set)
        return toPodcastJson(podcast, origins.baseOf(request))
      },
      {
        isForAll: true,
        query: PodcastQuery,
        response: { 200: describedAs(PodcastModel, 'What the feed says of itself.'), ...onDemandErrors },
        detail: operation('Directory', '/api/2/data/podcast.json', 'getPodcast', 'Read what a feed says of itself', {
          description: ON_DEMAND,
          'x-credentials': 'optional',
          'x-response': json(PODCAST_EXAMPLE),
          'x-refusals': onDemandErrorExamples,
        }),
      },
    )
    .get(
      '/api/2/data/episode.json',
      async ({ request, principal, query, set }) => {
        const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
        const episode = await lookup.episode(query.podcast ?? '', query.url ?? '', lookupPrincipal)
        allowCachingFor(principal, set)
        return toEpisodeJson(episode, origins.baseOf(request))
      },
      {
        isForAll: true,
        query: EpisodeQuery,
        response: { 200: describedAs(EpisodeModel, 'What the feed says of the episode.'), ...onDemandErrors },
        detail: operation(
          'Directory',
          '/api/2/data/episode.json',
          'getEpisode',
          'Read what a feed says of an episode',
          {
            description: ON_DEMAND,
            'x-credentials': 'optional',
            'x-response': json(EPISODE_EXAMPLE),
            'x-refusals': onDemandEpisodeErrorExamples,
          },
        ),
      },
    )
    .get(
      '/api/2/data/podcast/episodes.json',
      async ({ request, principal, query, set }) => {
        const paging = parsePaging(query)
        const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
        const { url, total, episodes } = await lookup.episodes(query.url ?? '', paging, lookupPrincipal)
        allowCachingFor(principal, set)
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
        response: { 200: EpisodePage, ...onDemandErrors },
        detail: operation('Directory', '/api/2/data/podcast/episodes.json', 'listEpisodes', 'List episodes', {
          description: ON_DEMAND,
          'x-credentials': 'optional',
          'x-response': json({
            url: FEED,
            page: 0,
            per_page: 20,
            total: 41,
            total_pages: 3,
            episodes: [EPISODE_EXAMPLE],
          }),
          'x-refusals': onDemandErrorExamples,
        }),
      },
    )
}
