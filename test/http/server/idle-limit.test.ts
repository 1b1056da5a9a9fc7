import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, clientOf, signUp } from '../../support/client.ts'
import { feedSource } from '../../support/feed-source.ts'

const FEED = 'https://feeds.example/a.xml'

/** Records changes of connections' idle limits and requests for the feed, in order. */
async function open() {
  const events: string[] = []
  const source = feedSource()
  const ask: typeof source.ask = (...args) => {
    events.push('ask the feed')
    return source.ask(...args)
  }
  const note = (event: string) => (request: Request) => {
    events.push(`${event} ${request.method} ${new URL(request.url).pathname}`)
  }
  const idleLimit = { lift: note('lift'), restore: note('restore') }
  const app = startTestApp({ isOutbound: true, feedSource: { ...source, ask }, fetchesNewFeeds: false, idleLimit })
  await signUp(app)
  const ida = clientOf(app, basic('ida', 'seaglass'))
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [FEED] })
  events.length = 0
  return { app, ida, events }
}

test('a request that waits for a slow feed has no idle limit until it is answered', async () => {
  const { ida, events } = await open()
  const path = '/api/admin/feeds/update/single'
  await ida.post(`${path}?url=${encodeURIComponent(FEED)}`)
  expect(events).toEqual([`lift POST ${path}`, 'ask the feed', `restore POST ${path}`])
})

test('an upload has no idle limit once its body has arrived', async () => {
  const { app, events } = await open()
  const path = '/api/2/subscriptions/ida/phone.json'
  let sent = false
  const body = new ReadableStream({
    pull(controller) {
      if (!sent) expect(events).toEqual([])
      sent = true
      controller.enqueue(Buffer.from('{"add":[],"remove":[]}'))
      controller.close()
    },
  })
  const headers = basic('ida', 'seaglass')
  const response = await app.fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body }))
  expect(response.status).toBe(200)
  expect(sent).toBe(true)
  expect(events).toEqual([`lift POST ${path}`, `restore POST ${path}`])
})

test.each([
  ['malformed', 'POST', '{"nonsense"'],
  ['unknown device', 'DELETE', undefined],
])('a refused request (%s) restores the limit', async (_case, method, body) => {
  const { ida, events } = await open()
  await ida.call(method, '/api/2/subscriptions/ida/phone.json', { body })
  expect(events.at(-1)).toStartWith('restore')
})

test('reads and uploaded import files, which arrive while the handler runs, keep the limit', async () => {
  const { ida, events } = await open()
  await ida.get('/api/2/subscriptions/ida/phone.json?since=0')
  await ida.post('/api/2/me/import', 'not a file')
  expect(events).toEqual(['restore POST /api/2/me/import'])
})

test.each([null, 'lifted'])('a value returned by the listener never becomes the answer: %p', async (said) => {
  const app = startTestApp({ idleLimit: { lift: () => said, restore: () => said } })
  await signUp(app)
  const ida = clientOf(app, basic('ida', 'seaglass'))
  for (const [method, path, body, json] of [
    ['POST', '/api/2/auth/ida/login.json', undefined, { status: 'ok' }],
    ['POST', '/api/2/subscriptions/ida/phone.json', { add: [FEED] }, { update_urls: [] }],
    ['PUT', '/api/2/devices/ida/phone.json', { caption: 'Phone' }, undefined],
    ['DELETE', '/api/2/devices/ida/phone.json', undefined, { status: 'ok' }],
  ] as const) {
    const answer = await ida.call(method, path, { body })
    expect([method, path, answer.status]).toEqual([method, path, 200])
    if (json) expect(answer.json).toMatchObject(json)
  }
})
