import { describe, expect, test } from 'bun:test'
import { CLASSIFIER_VERSION } from '../../src/domain/directory/privacy.ts'
import { failed, openFeedScene } from '../domain/feed-scene.ts'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf } from '../support/client.ts'

const SECRET = 'https://feeds.example/quillwort?token=1'
const ORDINARY = 'https://feeds.example/harbour'

/** The server starts on a database whose feeds were classified by rules that took the one for the other. */
async function openJudged(rules: number | undefined) {
  const before = await openFeedScene([SECRET, ORDINARY])
  const { app } = before
  before.script.answer = async () => failed()
  await before.runJob()
  await before.sortOut()
  app.db.run('UPDATE podcasts SET is_secret = (url = ?1)', [ORDINARY])
  app.db.run('DELETE FROM upkeep')
  if (rules !== undefined) app.db.run(`INSERT INTO upkeep (task, version) VALUES ('secret_rules', ?1)`, [rules])
  // The chance of tests is the same at each start, and would give the same session.
  app.db.run('DELETE FROM sessions')
  const started = startTestApp({ db: app.db })
  await started.recover()
  return {
    anyone: clientOf(started),
    admin: clientOf(started, basic('ida', 'seaglass')),
    known: () => app.db.query('SELECT task, version FROM upkeep').all(),
    classified: () => app.db.query<{ url: string }, []>('SELECT url FROM podcasts WHERE is_secret = 1').all(),
    async runJob() {
      started.jobs.find(({ name }) => name === 'directory')?.run()
      await started.idle()
    },
  }
}

const NOW = [{ task: 'secret_rules', version: CLASSIFIER_VERSION }]

describe('feeds classified by other rules than today’s', () => {
  test.each([undefined, CLASSIFIER_VERSION - 1, CLASSIFIER_VERSION + 1])(
    'are classified anew at the start: %p',
    async (rules) => {
      const { runJob, classified, known } = await openJudged(rules)
      await runJob()
      expect(classified()).toEqual([{ url: SECRET }])
      expect(known()).toEqual(NOW)
    },
  )

  test.each(['/toplist/10.json', '/search.json?q=feeds', `/api/2/data/podcast.json?url=${encodeURIComponent(SECRET)}`])(
    'are shown to nobody before that: %s',
    async (path) => {
      const { anyone } = await openJudged(CLASSIFIER_VERSION - 1)
      expect((await anyone.get(path)).text).not.toContain('token=1')
    },
  )

  test('are not shown to an administrator either', async () => {
    const { admin } = await openJudged(CLASSIFIER_VERSION - 1)
    const { text, json } = await admin.get('/api/admin/feeds/status')
    expect(text).not.toContain('token')
    expect(json).toMatchObject({ failing: [{ private: true }, { url: ORDINARY, private: false }] })
  })
})

test('feeds classified by the rules of today are not looked at again', async () => {
  const { anyone, runJob, classified } = await openJudged(CLASSIFIER_VERSION)
  await anyone.get('/toplist/10.json')
  await runJob()
  expect(classified()).toEqual([{ url: ORDINARY }])
})
