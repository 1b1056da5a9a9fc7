import { expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { startTestApp } from '../../support/app.ts'
import { signUp } from '../../support/client.ts'
import { feedSource, UNCHANGED } from '../../support/feed-source.ts'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const EPISODE = 'https://cdn.example/1.mp3'

async function open(feeds: Parameters<typeof feedSource>[0] = {}) {
  const app = startTestApp({ settings: { rate_limit: 'false' }, feedSource: feedSource(feeds) })
  return { app, ida: await signUp(app) }
}

test('the CSV export has a line for each action, with the titles of its feed', async () => {
  const episodes = [feedEpisode({ url: EPISODE, title: 'One "1"' })]
  const document = feedDocument({ title: 'Fog, and more', episodes })
  const { app, ida } = await open({ [A]: { ...UNCHANGED, kind: 'feed', document } })
  await ida.put('/subscriptions/ida/phone.json', [A, { url: B, title: '=cmd|calc' }])
  await ida.post('/api/2/episodes/ida.json', [
    { podcast: B, episode: EPISODE, action: 'new', timestamp: '2025-03-01T11:00:00' },
    {
      ...{ podcast: A, episode: EPISODE, device: 'phone', action: 'play', timestamp: '2025-03-01T10:00:00' },
      ...{ started: 0, position: 61, total: 1800, guid: 'g-1' },
    },
  ])
  app.jobs.find(({ name }) => name === 'feeds')?.run()
  await app.idle()
  const answer = await ida.get('/api/2/me/export.csv')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="podstep-ida-2025-03-02.csv"')
  expect(answer.text.split('\r\n')).toEqual([
    'time,action,podcast,episode,device,started,position,total,podcast_url,episode_url,guid',
    `2025-03-01T10:00:00,play,"Fog, and more","One ""1""",phone,0,61,1800,${A},${EPISODE},g-1`,
    `2025-03-01T11:00:00,new,'=cmd|calc,,,,,,${B},${EPISODE},`,
    '',
  ])
})

test('the OPML export lists the subscriptions of all devices, each once', async () => {
  const { ida } = await open()
  await ida.put('/subscriptions/ida/phone.json', [A])
  await ida.put('/subscriptions/ida/desk.json', [A, B])
  const { headers, text } = await ida.get('/api/2/me/export.opml')
  expect(headers.get('content-disposition')).toBe('attachment; filename="podstep-ida-2025-03-02.opml"')
  expect([...text.matchAll(/xmlUrl="([^"]*)"/g)].map(([, url]) => url)).toEqual([A, B])
  expect(text).toContain('<title>Subscriptions of ida</title>')
})
