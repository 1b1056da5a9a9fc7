import { Elysia, t } from 'elysia'
import type { Podcasts } from '../../../domain/directory/podcasts.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { lookupPrincipalOf } from '../../requests/principal.ts'
import { EPISODE_EXAMPLE, EpisodeModel, toEpisodeJson } from '../../spec/directory/episode-json.ts'
import {
  ON_DEMAND,
  onDemandEpisodeErrorExamples,
  onDemandErrorExamples,
  onDemandErrors,
} from '../../spec/directory/on-demand.ts'
import { TagModel, toTagJson } from '../../spec/directory/tag-json.ts'
import { PODCAST_EXAMPLE } from '../../spec/shared/list-examples.ts'
import { protectedErrors } from '../../spec/shared/models.ts'
import { PodcastModel, toPodcastJson } from '../../spec/shared/podcast-json.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const PODCAST_PATH = '/api/2/me/podcast/about'
const EPISODE_PATH = '/api/2/me/podcast/episode'

const feed = t.Optional(t.String({ description: 'The URL of the feed; needed.', examples: [FEED] }))
const media = t.Optional(
  t.String({ description: 'The URL of the media file; needed.', examples: ['https://cdn.tidewater.example/fog.mp3'] }),
)
const PodcastQuery = objectSchema({ url: feed })
const EpisodeQuery = objectSchema({ podcast: feed, url: media })

const notes_html = t.String({
  description:
    'The description as HTML, sanitised: text, `p`, `br`, `ul`, `ol`, `li`, `blockquote`, `pre`, `code`, emphasis, and links by http, https and mailto. Whoever shows it sanitises it again.',
})

const PodcastPage = objectSchema(
  {
    ...PodcastModel.properties,
    notes_html,
    tags: t.Array(TagModel, { description: 'What the feed says that it is about, the most important first.' }),
    funding_url: t.String({ description: 'Where people can give money for it; empty if the feed does not say.' }),
  },
  { description: 'What the feed says of itself.' },
)
const EpisodePage = objectSchema(
  { ...EpisodeModel.properties, notes_html },
  { description: 'What the feed says of the episode.' },
)

export interface PodcastPageParts {
  readonly lookup: Podcasts
  readonly authGuard: AuthGuard
  readonly origins: Origins
}

/** As the lookups of docs/protocol.md#directory, with what only pages show: other clients keep getting plain text. */
export function podcastPageRoutes({ lookup, authGuard, origins }: PodcastPageParts) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      PODCAST_PATH,
      async ({ request, principal, query }) => {
        const podcast = await lookup.detailed(query.url ?? '', lookupPrincipalOf(request, principal, origins))
        return {
          ...toPodcastJson(podcast, origins.baseOf(request)),
          notes_html: podcast.notes,
          tags: podcast.tags.map(toTagJson),
          funding_url: podcast.fundingUrl,
        }
      },
      {
        auth: 'user',
        query: PodcastQuery,
        response: { 200: PodcastPage, ...protectedErrors, ...onDemandErrors },
        detail: operation('Directory', PODCAST_PATH, 'getPodcastPage', 'Read all that a page of a podcast shows', {
          description: ON_DEMAND,
          'x-response': json({
            ...PODCAST_EXAMPLE,
            notes_html: '<p>Pilots, gulls and the people who wait for both.</p>',
            tags: [{ title: 'Society & Culture', tag: 'society-culture', usage: 4 }],
            funding_url: 'https://tidewater.example/support',
          }),
          'x-refusals': onDemandErrorExamples,
        }),
      },
    )
    .get(
      EPISODE_PATH,
      async ({ request, principal, query }) => {
        const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
        const episode = await lookup.episode(query.podcast ?? '', query.url ?? '', lookupPrincipal)
        return { ...toEpisodeJson(episode, origins.baseOf(request)), notes_html: episode.notes }
      },
      {
        auth: 'user',
        query: EpisodeQuery,
        response: { 200: EpisodePage, ...protectedErrors, ...onDemandErrors },
        detail: operation('Directory', EPISODE_PATH, 'getEpisodePage', 'Read all that a page of an episode shows', {
          description: ON_DEMAND,
          'x-response': json({ ...EPISODE_EXAMPLE, notes_html: '<p>What the <em>horn</em> says.</p>' }),
          'x-refusals': onDemandEpisodeErrorExamples,
        }),
      },
    )
}
