/** Whether an `If-None-Match` header names `etag`, quotation marks included: who sent it has what would be sent (RFC 9110, 13.1.2). */
export function hasTag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((part) => {
    const given = part.trim()
    return given === '*' || given.replace(/^W\//, '') === etag
  })
}
