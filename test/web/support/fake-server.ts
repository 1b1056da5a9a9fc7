import { mock, spyOn } from 'bun:test'

/** A request as the client made it. */
export interface Heard {
  /** `POST api/2/devices/ida/web.json` */
  readonly line: string
  readonly body: unknown
}

/**
 * Answers the client's requests instead of a server: with JSON, or with a refusal (`refuse`). Returns what it has heard so far. Ends with
 * `mock.restore()`.
 */
export function fakeServer(answer: (heard: Heard) => unknown): Heard[] {
  const heard: Heard[] = []
  const respond = async (input: unknown, init?: RequestInit): Promise<Response> => {
    const text = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    const request = { line: `${init?.method ?? 'GET'} ${String(input)}`, body: text }
    heard.push(request)
    const given = answer(request)
    return given instanceof Response ? given : Response.json(given ?? {})
  }
  spyOn(globalThis, 'fetch').mockImplementation(Object.assign(mock(respond), { preconnect: () => undefined }))
  return heard
}

export function refuse(status: number, error: string): Response {
  return Response.json({ code: status, error, message: error.replaceAll('_', ' ') }, { status })
}
