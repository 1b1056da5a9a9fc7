/** Content types that a form can have, and that a script may therefore send anywhere without the browser asking (Fetch, 2.2.2). */
const FORM_TYPES: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
  // A body without a type.
  '',
])

/**
 * Whether a browser that sends this change for a page of another origin has asked the server first, by OPTIONS. It does not send what
 * it remembers of the user then, since our answer (docs/protocol.md#D1) does not allow it to.
 */
export function isPreflighted({ method, headers }: Request): boolean {
  // All other methods that change something are asked about whatever they carry.
  if (method !== 'POST') return true
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1)
  return !FORM_TYPES.has(type.trim().toLowerCase())
}
