import { sha256 } from '../../platform/crypto.ts'
import { hasTag, type ResponseSet } from './caching.ts'
import { TextResponse } from './text-response.ts'

/** The part of an OPML list that changes with every response. Text from users and feeds contains no `<` in OPML. */
const DATE = /<dateCreated>[^<]*<\/dateCreated>/

/** Adds a weak `ETag`, and returns 304 if it matches (docs/protocol.md#D4). Streamed lists have no tag. */
export function revalidate(request: Request, set: ResponseSet, response: Response): Response {
  if (!(response instanceof TextResponse) || response.whole === undefined) return response
  const { whole, contentType } = response
  const lasting = contentType.startsWith('text/xml') ? whole.replace(DATE, '') : whole
  const tag = `"${Buffer.from(sha256(lasting)).toString('base64url')}"`
  // Weak, since compressed bodies have the same tag.
  set.headers['etag'] = `W/${tag}`
  return hasTag(request.headers.get('if-none-match'), tag) ? new Response(null, { status: 304 }) : response
}
