import { expect, test } from 'bun:test'
import { CLASSIFIER_VERSION } from '../../../src/domain/directory/privacy.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { failed, openFeedScene } from '../../domain/feed-scene.ts'
import { startTestApp } from '../../support/app.ts'
import { basic, clientOf } from '../../support/client.ts'

const SECRET = 'https://feeds.example/quillwort?token=1'
const ORDINARY = 'https://feeds.example/harbour'

/** A server whose database was classified the wrong way round by another version. */
async function openClassified(version: number | undefined) {
  const before = await openFeedScene([SECRET, ORDINARY], { db: openMemoryDatabase() })
  const { app } = before
  before.script.answer = async () => failed()
  await before.runJob()
  await before.runDirectoryJob()
  app.db.run('UPDATE podcasts SET is_secret = (url = ?1)', [ORDINARY])
  app.db.run('DELETE FROM upkeep')
  if (version !== undefined) app.db.run(`INSERT INTO upkeep (task, version) VALUES ('secret_rules', ?1)`, [version])
  // The seeded randomness of tests would create the same session again.
  app.db.run('DELETE FROM sessions')
  const started = startTestApp({ db: app.db })
  await started.recover()
  return {
    anyone: clientOf(started),
    admin: clientOf(started, basic('ida', 'seaglass')),
    secrets: () => app.db.query('SELECT url FROM podcasts WHERE is_secret = 1').values().flat(),
    version: () => app.db.query('SELECT version FROM upkeep').values().flat(),
    async runJob() {
      started.jobs.find(({ name }) => name === 'directory')?.run()
      await started.idle()
    },
  }
}

test.each([
  [undefined, SECRET],
  [CLASSIFIER_VERSION - 1, SECRET],
  [CLASSIFIER_VERSION + 1, SECRET],
  [CLASSIFIER_VERSION, ORDINARY],
])('feeds of version %p are reclassified unless it is the current one', async (before, secret) => {
  const { anyone, runJob, secrets, version } = await openClassified(before)
  if (before === CLASSIFIER_VERSION) await anyone.get('/toplist/10.json')
  await runJob()
  expect([secrets(), version()]).toEqual([[secret], [CLASSIFIER_VERSION]])
})

test('feeds of another classifier version are hidden until then, even from administrators', async () => {
  const lookup = `/api/2/data/podcast.json?url=${encodeURIComponent(SECRET)}`
  for (const path of ['/toplist/10.json', '/search.json?q=feeds', lookup]) {
    const { anyone } = await openClassified(CLASSIFIER_VERSION - 1)
    expect((await anyone.get(path)).text).not.toContain('token=1')
  }
  const { admin } = await openClassified(CLASSIFIER_VERSION - 1)
  const { text, json } = await admin.get('/api/admin/feeds/status')
  expect(text).not.toContain('token')
  expect(json).toMatchObject({ failing: [{ url: ORDINARY, private: false }, { private: true }] })
})
