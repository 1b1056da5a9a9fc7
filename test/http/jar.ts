import { expect } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { type Answer, basic, clientOf } from '../support/client.ts'

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
