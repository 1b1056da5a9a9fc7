import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { countedDatabase } from '../support/database.ts'

const PATH = '/api/2/me/subscriptions'
const FEEDS = 'https://feeds.example/'
const A = `${FEEDS}a`
const B = `${FEEDS}b`

async function open() {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  const change = (device: string, body: { add?: string[]; remove?: string[] }) =>
    ida.post(`/api/2/subscriptions/ida/${device}.json`, body)
  const list = async () => (await ida.get(PATH)).json
  return { app, ida, ole, change, list }
}

/** As if the feed had been fetched. */
function describePodcast({ db }: TestApp, url: string, description: string): void {
  db.run(
    `INSERT INTO podcast_details
     SELECT id, 'Harbour Talk', 'Tidewater', ?, 'https://tidewater.example/', 'https://tidewater.example/logo.png', 'en', '["Sea"]', '', 0, ''
       FROM podcasts WHERE url = ?`,
    [description, url],
  )
  db.run('UPDATE podcasts SET checked_at = 5, succeeded_at = 5 WHERE url = ?', [url])
}

function addEpisode({ db }: TestApp, url: string, released: number | null): void {
  const { id } = db
    .query<{ id: number }, [string, string]>(
      `INSERT INTO episodes (podcast_id, url) SELECT id, ?2 FROM podcasts WHERE url = ?1 RETURNING id`,
    )
    .get(url, `https://cdn.example/${released}`) ?? { id: 0 }
  db.run(
    `INSERT INTO episode_details (episode_id, podcast_id, fingerprint, title, description, website, released, guid, mime_type, image_url,
       chapters_url, transcript_url)
     SELECT id, podcast_id, '', '', '', '', ?, '', '', '', '', '' FROM episodes WHERE id = ?`,
    [released, id],
  )
}

describe('GET /api/2/me/subscriptions', () => {
  test('tells of each podcast what its feed says, who has it, and how fetching it goes', async () => {
    const { app, ole, change, list } = await open()
    await ole.post('/api/2/subscriptions/ole/phone.json', { add: [A] })
    await change('phone', { add: [A] })
    await change('desk', { add: [A] })
    describePodcast(app, A, '<p>Boats &amp; birds</p>')
    for (const released of [1_740_000_000, 1_740_900_000, null]) addEpisode(app, A, released)
    expect(await list()).toEqual([
      {
        url: A,
        title: 'Harbour Talk',
        author: 'Tidewater',
        description: 'Boats & birds',
        website: 'https://tidewater.example/',
        logo_url: 'https://tidewater.example/logo.png',
        scaled_logo_url: 'https://tidewater.example/logo.png',
        language: 'en',
        subscribers: 2,
        subscribers_last_week: 2,
        mygpo_link: 'http://localhost/podcast?url=https%3A%2F%2Ffeeds.example%2Fa',
        devices: ['phone', 'desk'],
        added: '2025-03-02T10:00:00',
        newest_release: '2025-03-02T07:20:00',
        private: false,
        health: { state: 'ok', since: '' },
      },
    ])
  })

  test('shows of a long description the beginning', async () => {
    const { app, change, list } = await open()
    await change('phone', { add: [A] })
    describePodcast(app, A, `<p>${'Boats &amp; birds. '.repeat(1000)}</p>`)
    const [podcast] = [await list()].flat()
    expect(podcast).toMatchObject({ description: expect.stringMatching(/^(?:Boats & birds\. )+.*…$/) })
    expect(JSON.stringify(podcast).length).toBeLessThan(1200)
  })

  test('lists what was had longest first, and each podcast once, whoever of the devices got it when', async () => {
    const { app, change, list } = await open()
    await change('phone', { add: [B] })
    app.clock.advance(60)
    await change('phone', { add: [A] })
    app.clock.advance(60)
    await change('desk', { add: [A, B] })
    expect(await list()).toMatchObject([
      { url: B, added: '2025-03-02T10:00:00', devices: ['phone', 'desk'] },
      { url: A, added: '2025-03-02T10:01:00', devices: ['phone', 'desk'] },
    ])
    await change('phone', { remove: [B] })
    expect(await list()).toMatchObject([
      { url: A, added: '2025-03-02T10:01:00', devices: ['phone', 'desk'] },
      { url: B, added: '2025-03-02T10:02:00', devices: ['desk'] },
    ])
  })

  test('leaves out what no device has any more', async () => {
    const { ida, change, list } = await open()
    await change('phone', { add: [A, B] })
    await change('phone', { remove: [A] })
    expect(await list()).toMatchObject([{ url: B }])
    await ida.delete('/api/2/devices/ida/phone.json')
    expect(await list()).toEqual([])
  })

  test('tells what is hidden from others, as soon as it is', async () => {
    const { ida, change, list } = await open()
    const secret = 'https://feeds.example/a?auth=0123456789abcdef0123456789abcdef'
    await change('phone', { add: [A, secret] })
    expect(await list()).toMatchObject([
      { url: A, private: false },
      { url: secret, private: true },
    ])
    await ida.post(`/api/2/settings/ida/podcast.json?podcast=${A}`, { set: { public_subscription: false } })
    expect(await list()).toMatchObject([{ private: true }, { private: true }])
  })

  test('asks the database the same however much there is', async () => {
    const { db, during } = countedDatabase()
    const app = startTestApp({ db, settings: { rate_limit: 'false' } })
    const ida = await signUp(app)
    const counts: number[] = []
    for (const size of [1, 500]) {
      const add = Array.from({ length: size }, (_, n) => `${FEEDS}${n}`)
      for (const device of ['phone', 'desk', 'car']) await ida.post(`/api/2/subscriptions/ida/${device}.json`, { add })
      await ida.get(PATH)
      await app.idle()
      counts.push((await during(() => ida.get(PATH))).length)
      expect((await ida.get(PATH)).json).toHaveLength(size)
    }
    expect(counts[1]).toBe(counts[0] ?? 0)
  })
})
