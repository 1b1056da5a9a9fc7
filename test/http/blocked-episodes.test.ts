import { describe, expect, test } from 'bun:test'
import type { FeedDocument } from '../../src/domain/feeds/document.ts'
import { feedOf, openFeedScene } from '../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../store/contract/fixtures.ts'
import { clientOf } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const A = 'https://feeds.example/a'
const urlOf = (name: string) => `https://cdn.example/${name}.mp3`
const episode = (name: string) => feedEpisode({ url: urlOf(name), title: name, guid: name })

const PAGE = `/api/2/data/podcast/episodes.json?url=${encodeURIComponent(A)}`
const EPISODE = `/api/2/data/episode.json?podcast=${encodeURIComponent(A)}&url=${encodeURIComponent(urlOf('fog'))}`

/** Ida has feed A, has heard the episode "fog" of it, and the publisher has blocked that since. */
async function open() {
  const { app, ida, script, feeds } = await openFeedScene([A])
  const publish = async (document: Partial<FeedDocument>) => {
    script.answer = async () => feedOf('', { document: feedDocument(document) })
    await feeds.refresh(A)
  }
  await publish({ episodes: [episode('fog'), episode('ebb')] })
  await ida.post('/api/2/episodes/ida.json', [
    {
      podcast: A,
      episode: urlOf('fog'),
      action: 'play',
      timestamp: '2025-03-02T10:00:00',
      started: 0,
      position: 9,
      total: 60,
    },
  ])
  await publish({ episodes: [episode('ebb')], blockedEpisodes: [urlOf('fog'), urlOf('never-seen')] })
  return { ida, publish, anyone: clientOf(app) }
}

describe('an episode that its publisher blocks (D56)', () => {
  test('is shown to nobody any more', async () => {
    const { ida, anyone } = await open()
    for (const client of [anyone, ida]) {
      expect((await client.get(PAGE)).json).toMatchObject({ total: 1, episodes: [{ title: 'ebb' }] })
      expectRefusal(await client.get(EPISODE), 404, 'unknown_episode')
    }
  })

  test('stays in the history of those who heard it, by its address', async () => {
    const { ida } = await open()
    expect((await ida.get('/api/2/me/history')).text).toContain(urlOf('fog'))
    expect((await ida.get('/api/2/me/history')).text).not.toContain('"fog"')
    expect((await ida.get('/api/2/episodes/ida.json?since=0')).json).toMatchObject({
      actions: [{ episode: urlOf('fog'), position: 9 }],
    })
  })

  test('comes back when the publisher shows it again', async () => {
    const { anyone, publish } = await open()
    await publish({ episodes: [episode('fog'), episode('ebb')] })
    expect((await anyone.get(EPISODE)).json).toMatchObject({ title: 'fog' })
    expect((await anyone.get(PAGE)).json).toMatchObject({ total: 2 })
  })
})
