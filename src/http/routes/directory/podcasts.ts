import { parseArtworkSize } from '../../../domain/directory/artwork.ts'
import type { EpisodeObject, OwnEpisode } from '../../../domain/directory/ports/podcasts.ts'
import type { FeedChapter } from '../../../domain/feeds/document.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { listenStateOf } from '../../../domain/sync/episode-actions.ts'
import { notesOf } from '../../../formats/notes.ts'
import { episodeLink } from '../../../formats/podcast-xml.ts'
import { get, type Route } from '../../endpoint.ts'
import { lookupPrincipalOf, pageEnvelope, parseCursor, parsePaging } from '../../requests.ts'
import { allowCachingFor, hasTag } from '../../responses/caching.ts'
import { TextResponse } from '../../responses/text-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/podcasts.ts'
import { toPodcastJson } from '../../spec/shared/podcast.ts'
import { toTagJson } from './directory.ts'

/** Seconds. Pictures of podcasts change once in years, those of episodes hardly ever. */
const PICTURE_MAX_AGE = 24 * 3600
/** Seconds. A missing picture may appear once its server is available or the feed names one. */
const MISSING = 5 * 60

/** docs/protocol.md#directory, #episodes-of-a-podcast. Pictures are served by this server, not by publishers. */
export function podcastRoutes({ lookup, feedChapters, transcripts, artwork, origins }: RouteParts): Route[] {
  return [
    get('/api/2/data/podcast.json', 'optional', spec.getPodcast, async ({ request, principal, query, set }) => {
      const podcast = await lookup.podcast(query.url ?? '', lookupPrincipalOf(request, principal, origins))
      allowCachingFor(principal, set)
      return toPodcastJson(podcast, origins.baseOf(request))
    }),
    get('/api/2/data/episode.json', 'optional', spec.getEpisode, async ({ request, principal, query, set }) => {
      const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
      const episode = await lookup.episode(query.podcast ?? '', query.url ?? '', lookupPrincipal)
      allowCachingFor(principal, set)
      return toEpisodeJson(episode, origins.baseOf(request))
    }),
    get(
      '/api/2/data/podcast/episodes.json',
      'optional',
      spec.listEpisodes,
      async ({ request, principal, query, set }) => {
        const paging = parsePaging(query)
        const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
        const { url, total, episodes } = await lookup.episodes(query.url ?? '', paging, lookupPrincipal)
        allowCachingFor(principal, set)
        const base = origins.baseOf(request)
        return { url, ...pageEnvelope(paging, total), episodes: episodes.map((each) => toEpisodeJson(each, base)) }
      },
    ),
    get('/api/2/me/podcast/about', 'user', spec.getPodcastPage, async ({ request, principal, query }) => {
      const podcast = await lookup.detailed(query.url ?? '', lookupPrincipalOf(request, principal, origins))
      return {
        ...toPodcastJson(podcast, origins.baseOf(request)),
        // Headings below the title of the podcast
        notes: notesOf(podcast.notes, 1),
        tags: podcast.tags.map(toTagJson),
        funding_url: podcast.fundingUrl,
      }
    }),
    get('/api/2/me/podcast/episode', 'user', spec.getEpisodePage, async ({ request, principal, query }) => {
      const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
      const episode = await lookup.episode(query.podcast ?? '', query.url ?? '', lookupPrincipal)
      const { notes, season, number, isExplicit } = episode
      return {
        ...toEpisodeJson(episode, origins.baseOf(request)),
        has_picture: episode.hasPicture,
        // Headings below the titles of the episode and of the notes
        notes: notesOf(notes, 2),
        chapters: toChaptersJson(episode.chapters === '' ? [] : JSON.parse(episode.chapters)),
        season: season ?? null,
        number: number ?? null,
        explicit: isExplicit,
      }
    }),
    get('/api/2/me/podcast/chapters', 'user', spec.listFeedChapters, async ({ request, principal, query }) => {
      const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
      const episode = await lookup.episode(query.podcast ?? '', query.url ?? '', lookupPrincipal)
      return { chapters: toChaptersJson(await feedChapters.list(principal.user.id, episode)) }
    }),
    get('/api/2/me/podcast/transcript', 'user', spec.getTranscript, async ({ request, principal, query }) => {
      const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
      const episode = await lookup.episode(query.podcast ?? '', query.episode ?? '', lookupPrincipal, 'episode')
      const { state, cues } = await transcripts.find(principal.user.id, episode)
      return new TextResponse(`{"state":"${state}","cues":${cues}}`, 'application/json;charset=utf-8')
    }),
    get('/api/2/me/podcast/episodes', 'user', spec.listOwnEpisodes, async ({ request, principal, query }) => {
      const paging = parsePaging(query)
      const filter = {
        text: query.q ?? '',
        season: parseCursor('season', query.season),
        onlyUnplayed: query.unplayed?.toLowerCase() === 'true',
        isOldestFirst: query.order === 'oldest',
      }
      const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
      const { url, total, seasons, episodes, max } = await lookup.ownEpisodes(
        principal.user.id,
        query.url ?? '',
        filter,
        paging,
        lookupPrincipal,
      )
      const base = origins.baseOf(request)
      return {
        url,
        ...pageEnvelope(paging, total),
        max_episodes: max,
        seasons: [...seasons],
        episodes: episodes.map((each) => toOwnJson(each, base)),
      }
    }),
    get('/artwork/:size', 'optional', spec.getArtwork, async ({ request, principal, params, query, set }) => {
      const size = parseArtworkSize(params.size)
      const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
      const chapter = parseCursor('chapter', query.chapter)
      const requested = { podcast: query.url ?? '', episode: query.episode, chapter, size }
      const { thumbnail, isPrivate, isComing } = await artwork.thumbnail(requested, lookupPrincipal)
      // A response that renews a session must not be shared either.
      const isForOne = isPrivate || principal?.setCookie !== undefined
      if (!isComing)
        set.headers['cache-control'] =
          `${isForOne ? 'private' : 'public'}, max-age=${thumbnail ? PICTURE_MAX_AGE : MISSING}`
      if (isPrivate) set.headers['vary'] = 'Authorization, Cookie'
      // Not an error: browsers would log one to the console for each picture of a page.
      if (!thumbnail) return new Response(null, { status: 204 })
      const etag = `"${thumbnail.tag}"`
      set.headers['etag'] = etag
      if (hasTag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304 })
      return new Response(thumbnail.bytes, { headers: { 'content-type': 'image/webp' } })
    }),
  ]
}

function toOwnJson(episode: OwnEpisode, base: string) {
  const { action, isFavorite, season, number, isExplicit, hasPicture } = episode
  return {
    ...toEpisodeJson(episode, base),
    has_picture: hasPicture,
    state: listenStateOf(action),
    ...(action?.position !== undefined && { position: action.position }),
    ...(action?.total !== undefined && { total: action.total }),
    ...(action?.device !== undefined && { device: action.device }),
    favorite: isFavorite,
    season: season ?? null,
    number: number ?? null,
    explicit: isExplicit,
  }
}

function toChaptersJson(chapters: readonly FeedChapter[]) {
  return chapters.map(([start, title, link, picture]) => ({ start, title, link, has_picture: picture !== undefined }))
}

export function toEpisodeJson(episode: EpisodeObject, base: string) {
  const { url, title, podcastTitle, podcastUrl, description, website, released, guid, duration, size } = episode
  return {
    title: title || url,
    url,
    podcast_title: podcastTitle,
    podcast_url: podcastUrl,
    description,
    website,
    released: released === undefined ? '' : formatTimestamp(released),
    mygpo_link: episodeLink(base, podcastUrl, url),
    guid,
    duration: duration ?? null,
    size: size ?? null,
    mime_type: episode.mimeType,
    image_url: episode.imageUrl,
    chapters_url: episode.chaptersUrl,
    transcript_url: episode.transcriptUrl,
  }
}
