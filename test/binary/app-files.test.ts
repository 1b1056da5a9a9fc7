import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { eventually } from '../support/eventually.ts'
import { recordAt } from '../support/openapi.ts'
import { antennaPod, bytesOf, gpodder, mediaUrl, SHOW } from '../transfer/files/databases.ts'
import { podstep } from './support/command.ts'
import { createUser, startScene } from './support/scene.ts'

const OPML = `<opml version="1.0"><body><outline overcastId="1" text="The Show" xmlUrl="${SHOW}" subscribed="1">
  <outline type="podcast-episode" enclosureUrl="${mediaUrl(1)}" progress="61" userUpdatedDate="2024-05-02T00:00:00Z"/>
</outline></body></opml>`

test('the executable imports files of apps from a form and on the command line, and survives damaged ones', async () => {
  await using scene = await startScene()
  const { ida, folder } = scene
  async function upload(name: string, bytes: Uint8Array) {
    const form = new FormData()
    form.set('file', new File([new Uint8Array(bytes)], name))
    const sent = new Request('http://localhost/', { method: 'POST', body: form })
    const headers = { 'content-type': sent.headers.get('content-type') ?? '' }
    const { status, json } = await ida.post('/api/2/me/import', await sent.bytes(), { headers })
    expect(status).toBe(202)
    return await eventually(
      async () => recordAt((await ida.get(`/api/2/me/import/${recordAt(json)['id']}`)).json),
      ({ state }) => state !== 'running',
    )
  }

  const database = bytesOf(antennaPod)
  const damaged = await upload('damaged.db', database.subarray(0, database.length - 4096))
  expect(damaged).toMatchObject({ state: 'failed', error: expect.stringMatching(/database is damaged/), counts: [] })
  for (const [source, name, bytes, counts] of [
    ['antennapod', 'AntennaPodBackup.db', database, { imported: 4, present: 0, skipped: 0 }],
    ['gpodder', 'Database', bytesOf(gpodder), { imported: 5, present: 0, skipped: 1 }],
    ['opml', 'overcast.opml', Buffer.from(OPML), { imported: 1, present: 0, skipped: 0 }],
  ] as const) {
    const report = await upload(name, bytes)
    expect(report).toMatchObject({ source, name, state: 'done', error: '' })
    expect(report['counts']).toContainEqual({ what: 'episode_actions', ...counts })
  }

  const path = folder.file('AntennaPodBackup.db')
  writeFileSync(path, database)
  await scene.server.stop()
  await createUser(folder, 'olaf')
  const { code, out } = await podstep(['import', '--from', path, '--to', 'olaf'], { cwd: folder.path })
  expect(code).toBe(0)
  expect(out).toContain('episode actions: 4 imported, 0 already here')
})
