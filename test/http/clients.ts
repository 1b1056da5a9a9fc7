import { expect } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { type Answer, basic, clientOf } from '../support/client.ts'
import { timestampOf } from './sync/scene.ts'

/** One request of a client. */
type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

/** A client that keeps cookies as a browser does: over plain http it would not send a `Secure` one back. */
function withJar(app: TestApp, always: Record<string, string> = {}): Send {
  const plain = clientOf(app, always)
  let cookie: string | undefined
  return async (method, path, body, headers = {}) => {
    const answer = await plain.call(method, path, { body, headers: { ...(cookie && { cookie }), ...headers } })
    const given = answer.headers.get('set-cookie')
    if (given && !/;\s*secure/i.test(given)) cookie = given.split(';', 1)[0]
    return answer
  }
}

/** Sends the password to log in, and from then on nothing but the cookie. */
export function cookieClient(app: TestApp, userAgent: string): Send {
  const send = withJar(app, { 'user-agent': userAgent })
  return (method, path, body) =>
    send(method, path, body, path.endsWith('/login.json') ? basic('ida', 'seaglass') : undefined)
}

/** Sends the password with every request and forgets all cookies. */
export function basicClient(app: TestApp, userAgent: string): Send {
  const plain = clientOf(app, { ...basic('ida', 'seaglass'), 'user-agent': userAgent })
  return (method, path, body) => plain.call(method, path, { body })
}

/** mygpoclient: no password before a challenge, at most three of them in its life, JSON labelled as a form. */
export function challengedClient(app: TestApp): { send: Send; challenges: () => number } {
  const send = withJar(app, { 'user-agent': 'mygpoclient/1.9', 'content-type': 'application/x-www-form-urlencoded' })
  let challenges = 0
  return {
    challenges: () => challenges,
    async send(method, path, body) {
      const answer = await send(method, path, body)
      if (answer.status !== 401 || challenges === 3) return answer
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+"/)
      challenges++
      return send(method, path, body, basic('ida', 'seaglass'))
    },
  }
}

/*
 * Answers as the strictest client reads them: whatever these functions object to breaks somebody's app.
 */

/** The JSON of an answer that has exactly status 200 and is exactly application/json. */
export function ok({ status, headers, json }: Answer): unknown {
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json(; ?charset=utf-8)?$/i)
  expectDigestible(json)
  return json
}

/** Success without a body: mygpoclient takes any text for an error. */
export function expectEmpty({ status, text }: Answer): void {
  expect([status, text]).toEqual([200, ''])
}

/** What a delta brought; all three keys are there, and of the right types. */
export function delta(answer: Answer): { add: unknown[]; remove: unknown[] } {
  timestampOf(answer)
  return { add: listIn(answer, 'add'), remove: listIn(answer, 'remove') }
}

/** The timestamp of an upload from which nothing had to be rewritten. */
export function uploaded(answer: Answer): number {
  expect(listIn(answer, 'update_urls')).toEqual([])
  return timestampOf(answer)
}

export function actionsOf(answer: Answer): unknown[] {
  timestampOf(answer)
  return listIn(answer, 'actions')
}

function listIn(answer: Answer, key: string): unknown[] {
  const list: unknown = Reflect.get(Object(ok(answer)), key)
  if (!Array.isArray(list)) throw new Error(`the answer has no list "${key}"`)
  return list
}

/** No null, no -1, and no date in another form than all clients read, anywhere. */
function expectDigestible(value: unknown): void {
  expect(value).not.toBeNull()
  expect(value).not.toBe(-1)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    expectDigestible(item)
    if (key === 'timestamp' && typeof item === 'string') expect(item).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  }
}
