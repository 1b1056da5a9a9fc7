import { isRecord } from '../platform/unknown.ts'

export async function withoutNulls(response: Response): Promise<Response> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (!isRecord(body) || !Object.values(body).includes(null)) return response
  const { status, headers } = response
  const present = Object.entries(body).filter(([, value]) => value !== null)
  return new Response(JSON.stringify(Object.fromEntries(present)), {
    status,
    headers: { 'content-type': headers.get('content-type') ?? '' },
  })
}
