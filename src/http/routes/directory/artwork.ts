import { Elysia, t } from 'elysia'
import { type Artwork, parseArtworkSize } from '../../../domain/directory/artwork.ts'
import { type AuthGuard, optionalAuthPlugin } from '../../auth.ts'
import { operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { lookupPrincipalOf } from '../../requests/principal.ts'
import { hasTag } from '../../responses/caching.ts'
import { ErrorModel } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const SizePath = objectSchema({ size: t.String() })

const PodcastQuery = objectSchema({
  url: t.Optional(
    t.String({
      description: 'The URL of the feed; needed.',
      examples: ['https://feeds.tidewater.example/harbour.xml'],
    }),
  ),
})

/** Seconds: a podcast has another picture once in years. */
const FRESH = 24 * 3600
/** Seconds: its picture may be there as soon as its server is, or its feed names one. */
const MISSING = 5 * 60

export interface ArtworkRouteParts {
  readonly artwork: Artwork
  readonly authGuard: AuthGuard
  readonly origins: Origins
}

/** Pictures of podcasts from here, so that no page makes a browser ask others for them. Ours: the protocol has no such thing. */
export function artworkRoutes({ artwork, authGuard, origins }: ArtworkRouteParts) {
  return new Elysia().use(optionalAuthPlugin(authGuard)).get(
    '/artwork/:size',
    async ({ request, principal, params, query, set }) => {
      const size = parseArtworkSize(params.size)
      const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
      const { thumbnail, isPrivate } = await artwork.thumbnail(query.url ?? '', size, lookupPrincipal)
      // A session that is renewed along the way is for nobody else either.
      const isForOne = isPrivate || principal?.setCookie !== undefined
      set.headers['cache-control'] = `${isForOne ? 'private' : 'public'}, max-age=${thumbnail ? FRESH : MISSING}`
      if (isPrivate) set.headers['vary'] = 'Authorization, Cookie'
      // No error: a browser would write one into its console for each picture of a page.
      if (!thumbnail) return new Response(null, { status: 204 })
      const etag = `"${thumbnail.tag}"`
      set.headers['etag'] = etag
      if (hasTag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304 })
      return new Response(thumbnail.bytes, { headers: { 'content-type': 'image/webp' } })
    },
    {
      isForAll: true,
      params: SizePath,
      query: PodcastQuery,
      response: {
        200: t.String({
          description:
            'A WebP picture whose short side is as long as asked for, or shorter if the picture of the feed is.',
        }),
        204: t.String({
          maxLength: 0,
          description: 'The podcast has no picture that can be shown. Draw one of your own.',
        }),
        400: ErrorModel,
        404: ErrorModel,
        503: ErrorModel,
      },
      detail: operation('Directory', '/artwork/{size}', 'getArtwork', 'Fetch the picture of a podcast', {
        description:
          'Made by the server of what the feed names as its picture, for podcasts that are known here. Those of private podcasts are for their own subscribers. Keep the `ETag`; when the picture is still the same, the answer to `If-None-Match` is an empty 304.',
        'x-credentials': 'optional',
        'x-response': { 'image/webp': { example: 'RIFF…WEBP…' } },
        'x-refusals': {
          400: {
            description: 'There is no such size, or the URL is none.',
            error: 'validation_failed',
            message: 'size must be one of 64, 128, 300, 600',
            field: 'size',
          },
          404: {
            description: 'There is no such podcast, or it is private to others.',
            error: 'unknown_podcast',
            message: 'the server knows no such podcast',
          },
          503: {
            description: 'Too many pictures are being fetched, or the server is stopping.',
            error: 'unavailable',
            message: 'too many pictures are being fetched, try again later',
          },
        },
      }),
    },
  )
}
