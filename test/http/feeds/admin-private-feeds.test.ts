import { describe, expect, test } from 'bun:test'
import { failed, feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import { signUp } from '../../support/client.ts'
import { openPrivateFeeds, PRIVATE, PUBLIC, TRACE } from '../directory/private-feeds-scene.ts'
import { expectError } from '../error.ts'

const FEEDS = '/api/admin/feeds'
/** Where a private feed is, which is all that is shown of its address. */
const SHOWN = /https?:\/\/[^/]+\/…/g

describe('of a private feed an administrator', () => {
  test('sees where it is and how it is, and nothing that tells it apart', async () => {
    const { ida } = await openPrivateFeeds()
    const { json, text } = await ida.get(`${FEEDS}?per_page=100`)
    expect(text.replaceAll(SHOWN, '')).not.toMatch(TRACE)
    expect(json).toMatchObject({ total: PRIVATE.length + 2, counts: { ok: PRIVATE.length + 2 } })
    for (const url of PRIVATE) {
      const shown = { url: `${new URL(url).origin}/…`, title: '', private: true, state: 'ok', moved_to: '' }
      expect(json).toHaveProperty('feeds', expect.arrayContaining([expect.objectContaining(shown)]))
    }
    const open = expect.objectContaining({ url: PUBLIC, title: 'Harbour Talk', private: false })
    expect(json).toHaveProperty('feeds', expect.arrayContaining([open]))
  })

  test.each([
    ['part of an author', 'q=bramblewick', 0],
    ['part of a title', 'q=Quillwort%201', 0],
    ['part of the secret', 'q=a1b2', 0],
    ['a host and a scheme', 'q=https://quillwort.supercast.com', 1],
  ])('finds no more by a search than what is shown: %s', async (_case, query, total) => {
    const { ida } = await openPrivateFeeds()
    const { json } = await ida.get(`${FEEDS}?${query}`)
    expect(json).toMatchObject({ total, counts: { ok: total, failing: 0, gone: 0, new: 0 } })
  })

  test('and of a public one that has moved to a secret place, only where that is', async () => {
    const url = 'https://feeds.example/harbour'
    const { ida, script, runDirectoryJob, runJob } = await openFeedScene([url])
    await runDirectoryJob()
    script.answer = async () => feedOf('Harbour', { movedTo: 'https://new.example/f?token=hunter2' })
    await runJob()
    expect((await ida.get(FEEDS)).json).toMatchObject({ feeds: [{ url, moved_to: 'https://new.example/…' }] })
  })

  test('can have it refreshed all the same, and learns no more by that', async () => {
    const url = 'https://feeds.example/f?token=hunter1'
    const { ida, script, runDirectoryJob, asked, row } = await openFeedScene([url])
    await runDirectoryJob()
    const path = `${FEEDS}/${String((await row(url))?.['id'])}/update`
    script.answer = async () => feedOf('Hunter')
    const { status, json, text } = await ida.post(path)
    expect(status).toBe(200)
    expect(json).toMatchObject({ feed: { url: 'https://feeds.example/…', title: '', private: true, state: 'ok' } })
    script.answer = async () => failed({ reason: 'timeout' })
    expect(text + (await ida.post(path)).text).not.toMatch(/hunter/i)
    expect(asked).toMatchObject([{ url }, { url }])
  })

  describe('learns nothing of one that is private to others by asking for its address', () => {
    const single = (url: string) => `${FEEDS}/update/single?url=${encodeURIComponent(url)}`
    const SECRET = 'https://feeds.example/f?token=hunter1'
    const PLAIN = 'https://feeds.example/f'

    /** Bob, who is no administrator, has a feed that says who it is; Ida administers the server. */
    async function open(url: string, fields: { isBlocked?: boolean; isMarked?: boolean } = {}) {
      const { isBlocked = false, isMarked } = fields
      const scene = await openFeedScene([])
      const bob = await signUp(scene.app, 'bob')
      await bob.post('/api/2/subscriptions/bob/phone.json', { add: [url] })
      scene.script.answer = async () => feedOf('', { document: feedDocument({ title: 'Hunter', isBlocked }) })
      const settings = `/api/2/settings/bob/podcast.json?podcast=${encodeURIComponent(url)}`
      if (isMarked !== undefined) await bob.post(settings, { set: { public_subscription: isMarked } })
      return scene
    }

    test.each([
      ['by its address', SECRET, {}, 0],
      ['by what its subscriber says', PLAIN, { isMarked: false }, 0],
      ['by what it says itself, for the first time as well', PLAIN, { isBlocked: true }, 1],
    ])('%s', async (_case, url, fields, times) => {
      const { ida, asked, runDirectoryJob } = await open(url, fields)
      for (let n = 0; n < 2; n++) {
        const answer = await ida.post(single(url))
        expectError(answer, 404, 'unknown_podcast')
        // Told apart from one that nobody has by nothing at all.
        expect(answer.text).toBe((await ida.post(single('https://feeds.example/nobody'))).text)
        expect(asked).toHaveLength(times)
        await runDirectoryJob()
      }
    })

    test('unless the administrator has it too, or its subscriber has made it known', async () => {
      const [{ ida }, marked] = [await open(SECRET), await open(SECRET, { isMarked: true })]
      await ida.post('/api/2/subscriptions/ida/phone.json', { add: [SECRET] })
      for (const client of [ida, marked.ida])
        expect(await client.post(single(SECRET))).toMatchObject({ status: 200, json: { podcast: { title: 'Hunter' } } })
    })
  })
})
