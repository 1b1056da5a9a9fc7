import { silence, silenceBytes } from '../../../src/demo/site.ts'

/** Responds with an MP3 of silence, or with the requested range of it. */
export function serveSilence(request: Request, seconds: number): Response {
  const size = silenceBytes(seconds)
  const headers = { 'content-type': 'audio/mpeg', 'accept-ranges': 'bytes' }
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('range') ?? '') ?? []
  if (from === undefined) return new Response(silence(0, size), { headers })
  const start = Number(from)
  const end = Math.min(size, to ? Number(to) + 1 : size)
  if (start >= end) return new Response(null, { status: 416, headers: { 'content-range': `bytes */${size}` } })
  const range = { 'content-range': `bytes ${start}-${end - 1}/${size}` }
  return new Response(silence(start, end), { status: 206, headers: { ...headers, ...range } })
}
