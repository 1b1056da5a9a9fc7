import { afterEach, mock, spyOn } from 'bun:test'

afterEach(() => mock.restore())

/** A request of the client. */
export interface SentRequest {
  /** Method and address: `POST api/2/devices/ida/web.json`. */
  readonly line: string
  readonly body: unknown
}

/**
 * Responds to requests of the client with JSON or an error (`errorResponse`). Returns the growing list of requests.
 * Replaces the previous server, and ends with the test.
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
