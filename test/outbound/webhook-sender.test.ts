import { afterAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { EpisodeNews, ReportedNews, Webhook, WebhookFormat } from '../../src/domain/outlets/ports.ts'
import { WebhookFailure } from '../../src/domain/outlets/webhooks.ts'
import type { UserId } from '../../src/domain/shared/ids.ts'
import { allowedPlace } from '../../src/outbound/address-rules.ts'
import { FetchFailure } from '../../src/outbound/fetch-failure.ts'
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts'
import { createWebhookSender } from '../../src/outbound/webhook-sender.ts'
import { Secret } from '../../src/platform/secret.ts'
import { startRawServer, startWebServer, writeEndlessly } from '../support/web-server.ts'
import { namesAre } from './fetching.ts'

const KEY = Buffer.alloc(32, 7)
const AT = 1_740_909_600
const bodies: string[] = []
const take = async (request: Request) => {
  bodies.push(await request.text())
  return new Response('thanks')
}
const server = startWebServer({
  '/hook': take,
  '/message': take,
  '/': take,
  '/below/': take,
  '/refuses': () => new Response('no', { status: 403 }),
  '/moved': () => Response.redirect('/hook', 307),
})
afterAll(() => server[Symbol.asyncDispose]())

const at = (path: string, userinfo = '') => `http://${userinfo}hooks.lan:${server.port}${path}`

function senderTo({ allowed = ['hooks.lan'], addresses = ['127.0.0.1'], base }: SenderCase = {}) {
  const fetcher = createGuardedFetch({
    userAgent: 'podstep/test',
    resolve: namesAre(...addresses),
    allowed: allowed.map(allowedPlace),
    allowedBy: 'webhook_allow_private',
  })
  return createWebhookSender({ fetcher, base })
}

interface SenderCase {
  readonly allowed?: readonly string[]
  readonly addresses?: readonly string[]
  readonly base?: string
}

const webhook = (url: string, format: WebhookFormat = 'json') =>
  ({ userId: 1 as UserId, url, format, secret: new Secret(`whsec_${KEY.toString('base64')}`) }) as Webhook

const EPISODE: EpisodeNews = {
  title: 'Low tide',
  url: 'https://cdn.example/low-tide.mp3',
  website: 'https://tide.example/low-tide',
  released: AT,
  duration: 1800,
  podcastTitle: 'Tidewater',
  podcastUrl: 'https://feeds.example/tide',
  isPrivate: false,
}
const episodesOf = (total: number, ...episodes: EpisodeNews[]): ReportedNews => ({
  event: 'new_episode',
  total,
  episodes,
})
const one = (fields: Partial<EpisodeNews> = {}) => episodesOf(1, { ...EPISODE, ...fields })
const never = new AbortController().signal

/** Sends news; returns body, path and headers of the request. */
async function sent(news: ReportedNews, url: string, format: WebhookFormat = 'json', options: SenderCase = {}) {
  const message = { id: 'b6f1', createdAt: AT, username: 'ida', news }
  const status = await senderTo(options).send(webhook(url, format), message, AT + 5, never)
  expect(status).toBe(200)
  const text = bodies.at(-1) ?? ''
  const { path, headers } = server.asked.at(-1) ?? { path: '', headers: new Headers() }
  return { text, body: JSON.parse(text) as Record<string, unknown>, path, headers }
}

const HEAD = { id: 'b6f1', created: '2025-03-02T10:00:00', user: 'ida' }

describe('JSON', () => {
  test('contains all data, and is signed according to Standard Webhooks', async () => {
    const { text, body, headers } = await sent(one(), at('/hook'))
    const { podcastTitle, podcastUrl, isPrivate, ...episode } = EPISODE
    const podcast = { podcast_title: podcastTitle, podcast_url: podcastUrl, private: isPrivate }
    const episodes = [{ ...episode, ...podcast, released: '2025-03-02T10:00:00' }]
    expect(body).toEqual({ ...HEAD, event: 'new_episode', total: 1, episodes })
    const signed = `b6f1.${AT + 5}.${text}`
    const expected = createHmac('sha256', KEY).update(signed).digest('base64')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'podstep/test',
      'webhook-id': 'b6f1',
      'webhook-timestamp': String(AT + 5),
      'webhook-signature': `v1,${expected}`,
    })
    expect(headers.has('authorization')).toBe(false)
  })

  test('omits unknown values', async () => {
    const { body } = await sent(one({ released: undefined, duration: undefined }), at('/hook'))
    const [episode] = body['episodes'] as Record<string, unknown>[]
    expect(episode).toMatchObject({ released: '' })
    expect(episode).not.toContainKey('duration')
  })

  test('reports devices, failures and tests', async () => {
    const desk = { caption: 'Desk', type: 'desktop' }
    const added = await sent({ event: 'new_device', total: 1, devices: [{ uid: 'desk', ...desk }] }, at('/hook'))
    expect(added.body).toMatchObject({ event: 'new_device', devices: [{ id: 'desk', ...desk }] })
    const podcast = { podcast_title: 'Tidewater', podcast_url: 'https://feeds.example/tide', private: false }
    const podcasts = [{ ...podcast, reason: 'gone', failing_since: '2025-03-02T10:00:00' }]
    expect((await sent(failures(), at('/hook'))).body).toMatchObject({ event: 'feed_failing', podcasts })
    expect((await sent({ event: 'test' }, at('/hook'))).body).toEqual({ ...HEAD, event: 'test' })
  })
})

function failures(fields: object = {}): ReportedNews {
  const { podcastTitle, podcastUrl, isPrivate } = EPISODE
  const podcasts = [{ podcastTitle, podcastUrl, isPrivate, reason: 'gone', since: AT, ...fields } as const]
  return { event: 'feed_failing', total: 1, podcasts }
}

describe('ntfy', () => {
  test('gets title, text, tag and link at the parent path of the topic', async () => {
    const news = one({ title: 'Ebbe\u0007 und\u202e Flut – 潮' })
    const { body, path } = await sent(news, at('/ida-pods?auth=QmVhcmVy'), 'ntfy')
    expect(path).toBe('/?auth=QmVhcmVy')
    expect(body).toEqual({
      topic: 'ida-pods',
      title: 'Tidewater',
      message: 'Ebbe und Flut – 潮',
      tags: ['headphones'],
      click: 'https://tide.example/low-tide',
    })
    expect((await sent(one(), at('/below/ida-pods'), 'ntfy')).path).toBe('/below/')
  })

  test('gets the credentials of the URL in a header', async () => {
    const { headers } = await sent(one(), at('/pods', 'ida:sea%20glass%@'), 'ntfy')
    expect(headers.get('authorization')).toBe(`Basic ${Buffer.from('ida:sea%20glass%').toString('base64')}`)
    const decoded = await sent(one(), at('/pods', 'ida:sea%20glass@'), 'ntfy')
    expect(decoded.headers.get('authorization')).toBe(`Basic ${Buffer.from('ida:sea glass').toString('base64')}`)
  })

  test('gets no URL of a feed or a private podcast', async () => {
    const hidden = { isPrivate: true, podcastUrl: 'https://members.example/opensesame' }
    const website = 'https://members.example/?opensesame'
    const { text } = await sent(one({ ...hidden, podcastTitle: hidden.podcastUrl, website }), at('/pods'), 'ntfy')
    expect(text).not.toContain('opensesame')
    expect(JSON.parse(text)).toMatchObject({ title: 'https://members.example/…', message: 'Low tide' })
    expect((await sent(failures({ ...hidden, podcastTitle: hidden.podcastUrl }), at('/pods'), 'ntfy')).body).toEqual({
      topic: 'pods',
      title: 'A podcast cannot be fetched',
      message: 'https://members.example/…',
      tags: ['warning'],
    })
  })

  test('gets a short text of many episodes, and a link to this server', async () => {
    const episodes = Array.from({ length: 50 }, (_, n) => ({ ...EPISODE, title: n === 1 ? '' : `Part ${n}` }))
    const base = 'https://pods.example'
    const { body } = await sent(episodesOf(120, ...episodes), at('/pods'), 'ntfy', { base })
    expect(body).toMatchObject({ title: '120 new episodes', click: 'https://pods.example' })
    const lines = String(body['message']).split('\n')
    expect(lines).toHaveLength(11)
    expect([lines[0], lines[1], lines[10]]).toEqual(['Tidewater: Part 0', 'Tidewater: (no title)', 'and 110 more'])
  })

  test('gets texts short enough not to become attachments', async () => {
    const title = '潮'.repeat(5000)
    const episodes = Array.from({ length: 10 }, () => ({ ...EPISODE, title, podcastTitle: title }))
    const { body } = await sent(episodesOf(10, ...episodes), at('/pods'), 'ntfy')
    expect(Buffer.byteLength(String(body['message']))).toBeLessThan(4096)
    expect(body['message']).toEndWith('and 7 more')
    const alone = await sent(one({ title, website: 'javascript:alert(1)' }), at('/pods'), 'ntfy')
    expect(alone.body['message']).toBe(`${'潮'.repeat(149)}…`)
    expect(alone.body).not.toContainKey('click')
    expect((await sent(one({ title: '' }), at('/pods'), 'ntfy')).body).toMatchObject({ message: 'New episode' })
  })

  test('reports devices, failures and tests', async () => {
    const phone = { uid: 'phone', caption: '', type: 'mobile' }
    const desk = { uid: 'desk', caption: 'Desk', type: 'desktop' }
    const devices: ReportedNews = { event: 'new_device', total: 2, devices: [phone, desk] }
    const alone: ReportedNews = { event: 'new_device', total: 1, devices: [desk] }
    const both: ReportedNews = { event: 'feed_failing', total: 2, podcasts: [] }
    const bodies: unknown[] = []
    for (const news of [devices, alone, { event: 'test' } as const, both])
      bodies.push((await sent(news, at('/pods'), 'ntfy')).body)
    expect(bodies).toMatchObject([
      { title: '2 new devices', message: 'phone\nDesk' },
      { title: 'New device', message: 'Desk' },
      { title: 'podstep' },
      { title: '2 podcasts cannot be fetched' },
    ])
  })
})

test('Gotify gets title, text, priority and link at its own URL', async () => {
  const { body, path } = await sent(one(), at('/message?token=A1b2'), 'gotify')
  expect(path).toBe('/message?token=A1b2')
  expect(body).toEqual({
    title: 'Tidewater',
    message: 'Low tide',
    priority: 4,
    extras: { 'client::notification': { click: { url: 'https://tide.example/low-tide' } } },
  })
  expect((await sent({ event: 'test' }, at('/message?token=A1b2'), 'gotify')).body).not.toContainKey('extras')
})

const message = { id: 'x', createdAt: AT, username: 'ida', news: { event: 'test' } } as const
async function failure(url: string, options: SenderCase = {}, signal = never): Promise<string> {
  const outcome = await senderTo(options)
    .send(webhook(url), message, AT, signal)
    .catch((error: unknown) => error)
  if (outcome instanceof WebhookFailure) return outcome.message
  throw new Error(`no failure but ${String(outcome)}`)
}

test('the status is returned, and redirects are not followed', async () => {
  const before = bodies.length
  expect(await senderTo().send(webhook(at('/refuses')), message, AT, never)).toBe(403)
  expect(await senderTo().send(webhook(at('/moved')), message, AT, never)).toBe(307)
  expect(bodies).toHaveLength(before)
})

test('sending ends with the status, without waiting for the body', async () => {
  await using endless = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    writeEndlessly(socket)
  })
  expect(await senderTo().send(webhook(`http://hooks.lan:${endless.port}/`), message, AT, never)).toBe(200)
  await endless.closed
})

test('private addresses are refused unless webhook_allow_private allows them, even before sending', async () => {
  const url = at('/hook?token=opensesame')
  const help = 'hooks.lan is in a private network; webhook_allow_private could allow it'
  expect(await failure(url, { allowed: [] })).toBe(help)
  expect(await failure(url, { addresses: ['93.184.216.34', '10.0.0.1'], allowed: [] })).toBe(help)
  await expect(senderTo({ allowed: [] }).check(url)).rejects.toThrow(new WebhookFailure(help))
  await expect(senderTo().check(url)).resolves.toBeUndefined()
  // A name that cannot be resolved now may be resolvable later.
  await expect(senderTo({ addresses: [] }).check(url)).resolves.toBeUndefined()
})

/** A sender whose requests all fail with this error. */
function failingWith(error: Error) {
  const limits: unknown[] = []
  const fetcher = {
    check: () => Promise.reject(error),
    fetch(request: { readonly limits: unknown }) {
      limits.push(request.limits)
      return Promise.reject(error)
    },
  }
  return { limits, ...createWebhookSender({ fetcher, base: undefined }) }
}

test('internal errors are thrown', async () => {
  const { check, send } = failingWith(new TypeError('oops'))
  await expect(check('https://hooks.example/')).rejects.toThrow(TypeError)
  await expect(send(webhook('https://hooks.example/'), message, AT, never)).rejects.toThrow(TypeError)
})

test('failures name only the host, and an abort ends the wait', async () => {
  await using silent = await startRawServer(() => undefined)
  const stop = new AbortController()
  const waiting = failure(`http://hooks.lan:${silent.port}/?token=opensesame`, {}, stop.signal)
  stop.abort()
  expect(await waiting).toMatch(/^hooks\.lan cannot be reached/)
  expect(await failure('http://hooks.lan:9/')).toBe('port 9 belongs to another kind of service')
})

test('sending has a limit of ten seconds', async () => {
  const { limits, send } = failingWith(new FetchFailure('timeout', 'hooks.lan takes too long'))
  const sending = send(webhook(at('/hook')), message, AT, never)
  await expect(sending).rejects.toThrow(new WebhookFailure('hooks.lan takes too long'))
  expect(limits).toEqual([{ totalMs: 10_000, answerMs: 10_000, maxBytes: 0 }])
})
