import { describe, expect, test } from 'bun:test'
import type { FeedFailureReason } from '../../../src/domain/feeds/ports.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { type ScriptedAnswer, UNCHANGED } from '../../support/feed-source.ts'
import { failed, feedOf, HOUR, openFeedScene, START } from '../feed-scene.ts'

const A = 'https://a.example/f'
const EPISODES = Array.from({ length: 60 }, (_, n) =>
  feedEpisode({ url: `https://cdn.example/${n}.mp3`, guid: `${n}`, released: START - n }),
)
const DOCUMENT = feedDocument({ episodes: EPISODES })

/** A feed that has been fetched once, and a count of rows that are written after that. */
async function openCounted() {
  const scene = await openFeedScene([A])
  scene.script.answer = async () => feedOf('', { document: DOCUMENT, bodyHash: 'abc' })
  await scene.runJob()
  const changes = scene.app.db.query<{ n: number }, []>('SELECT total_changes() AS n')
  let before = changes.get()?.n ?? 0
  return {
    ...scene,
    /** Since the last time. */
    rowsWritten(): number {
      const now = changes.get()?.n ?? 0
      const written = now - before
      before = now
      return written
    },
  }
}

describe('a refresh writes', () => {
  test.each<[string, ScriptedAnswer]>([
    ['when the feed has not changed', { ...UNCHANGED, bodyHash: 'abc' }],
    ['when it has, but says the same', feedOf('', { document: DOCUMENT, bodyHash: 'abd' })],
    ['when it cannot be had', failed()],
  ])('one row %s', async (_case, answer) => {
    const { script, pass, asked, rowsWritten } = await openCounted()
    script.answer = async () => answer
    await pass(2 * HOUR)
    expect(asked).toHaveLength(2)
    expect(rowsWritten()).toBe(1)
  })

  test('one row more for an episode that has changed, and two for one that is new', async () => {
    const { script, pass, rowsWritten } = await openCounted()
    const [newest = feedEpisode(), ...others] = EPISODES
    const changed = [{ ...newest, title: 'Fog lifts' }, ...others]
    script.answer = async () => feedOf('', { document: { ...DOCUMENT, episodes: changed } })
    await pass(2 * HOUR)
    expect(rowsWritten()).toBe(2)
    const added = [feedEpisode({ url: 'https://cdn.example/new.mp3', guid: 'new' }), ...changed]
    script.answer = async () => feedOf('', { document: { ...DOCUMENT, episodes: added } })
    await pass(2 * HOUR)
    expect(rowsWritten()).toBe(3)
  })

  test('nothing when nothing is due', async () => {
    const { pass, rowsWritten } = await openCounted()
    await pass(60)
    expect(rowsWritten()).toBe(0)
  })
})

test('a feed of which a part could not be written is fetched again as if it had never been', async () => {
  const { app, asked, script, runJob, pass, row } = await openFeedScene([A])
  script.answer = async () => feedOf('', { document: DOCUMENT, etag: '"1"', bodyHash: 'abc' })
  app.db.run(
    `CREATE TRIGGER enough BEFORE INSERT ON episode_details WHEN (SELECT COUNT(*) FROM episode_details) >= 30
     BEGIN SELECT RAISE(FAIL, 'that is enough'); END`,
  )
  await runJob()
  expect(row(A)).toMatchObject({ failures: 1, etag: null, body_hash: null })
  app.db.run('DROP TRIGGER enough')
  await pass(2 * HOUR)
  expect(asked[1]).toMatchObject({ etag: undefined, bodyHash: undefined })
  expect(await app.services.feeds.refresh(A)).toMatchObject({ episodes: 60 })
})

describe('where somebody listens is nobody’s business: no line of the log has more of a feed than its number', () => {
  const SECRET = 'https://feeds.example/u/hunter2/feed.xml?token=hunter3#hunter4'
  const reasons: FeedFailureReason[] = ['forbidden', 'timeout', 'not_a_feed', 'gone', 'server_error', 'internal']
  test.each<[string, () => Promise<ScriptedAnswer>]>([
    ['unchanged', async () => UNCHANGED],
    ['changed', async () => feedOf('Harbour Talk', { movedTo: `${SECRET}-moved` })],
    ...reasons.map((reason): [string, () => Promise<ScriptedAnswer>] => [reason, async () => failed({ reason })]),
    ['a fault', () => Promise.reject(new Error('undefined is not a function'))],
  ])('%s', async (_case, answer) => {
    const { app, ida, script, runJob, row } = await openFeedScene([SECRET])
    script.answer = answer
    await runJob()
    await ida.post('/api/admin/feeds/update')
    await ida.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(SECRET)}`)
    await app.idle()
    expect(row(SECRET)).not.toBeNull()
    expect(app.logs.filter((line) => line.includes('hunter'))).toEqual([])
  })
})
