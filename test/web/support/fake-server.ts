import { mock, spyOn } from 'bun:test'

/** A request of the client. */
export interface SentRequest {
  /** Method and address: `POST api/2/devices/ida/web.json`. */
  readonly line: string
  readonly body: unknown
}

/**
 * Answers the requests of the client in place of a server, with JSON or with an error (`errorResponse`). Returns the list of requests,
 * which grows. Replaces the one before, and ends with `mock.restore()`.
 */
export function fakeServer(answer: (request: SentRequest) => unknown): SentRequest[] {
  mock.restore()
  const requests: SentRequest[] = []
  const respond = async (input: unknown, init?: RequestInit): Promise<Response> => {
    const text = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    const request = { line: `${init?.method ?? 'GET'} ${String(input)}`, body: text }
    requests.push(request)
    const given = await answer(request)
    return given instanceof Response ? given : Response.json(given ?? {})
  }
  spyOn(globalThis, 'fetch').mockImplementation(Object.assign(mock(respond), { preconnect: () => undefined }))
  return requests
}

/** An error of the API. */
export function errorResponse(status: number, error: string): Response {
  return Response.json({ code: status, error, message: error.replaceAll('_', ' ') }, { status })
}
