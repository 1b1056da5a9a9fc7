import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { eventually } from '../support/eventually.ts'
import { recordAt } from '../support/openapi.ts'
import { antennaPod, bytesOf, gpodder, mediaUrl, SHOW } from '../transfer/files/databases.ts'
import { podstep } from './support/command.ts'
import { createUser, type Scene, startScene } from './support/scene.ts'

/*
 * Files of apps, by the executable, whose processes and modules are others than those of the tests.
 */

const OPML = `<opml version="1.0"><body><outline overcastId="1" text="The Show" xmlUrl="${SHOW}" subscribed="1">
  <outline type="podcast-episode" enclosureUrl="${mediaUrl(1)}" progress="61" userUpdatedDate="2024-05-02T00:00:00Z"/>
</outline></body></opml>`

const KINDS: readonly (readonly [string, string, () => Uint8Array, number])[] = [
  ['antennapod', 'AntennaPodBackup.db', () => bytesOf(antennaPod), 4],
  ['gpodder', 'Database', () => bytesOf(gpodder), 5],
  ['opml', 'overcast.opml', () => Buffer.from(OPML), 1],
]

function ended({ ida }: Scene, id: number): Promise<Readonly<Record<string, unknown>>> {
  return eventually(
    async () => recordAt((await ida.get(`/api/2/me/import/${id}`)).json),
    ({ state }) => state !== 'running',
  )
}

test.each(KINDS)('a file of kind %s is taken as a form, and by the command', async (kind, name, bytes, actions) => {
  await using scene = await startScene()
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes())], name))
  const sent = new Request('http://localhost/', { method: 'POST', body: form })
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' }
  const { status, json } = await scene.ida.post('/api/2/me/import', new Uint8Array(await sent.arrayBuffer()), {
    headers,
  })
  expect([status, json]).toEqual([202, { id: 1 }])
  const report = await ended(scene, 1)
  expect(report).toMatchObject({ source: kind, name, state: 'done', error: '' })
  expect(report['counts']).toContainEqual({
    ...{ what: 'episode_actions', imported: actions, present: 0 },
    skipped: kind === 'gpodder' ? 1 : 0,
  })
  const states = async (user: string) =>
    (await scene.ida.get(`/api/2/episodes/${user}.json?aggregated=true`)).json as { actions: unknown[] }
  expect((await states('ida')).actions).toHaveLength(actions)

  const path = scene.folder.file(name)
  writeFileSync(path, bytes())
  const env = { SVC_PORT: String(scene.server.port) }
  const again = await podstep(['import', '--from', path, '--to', 'ida'], { cwd: scene.folder.path, env })
  expect(again.code).toBe(0)
  expect(again.out).toContain(`episode actions: 0 imported, ${actions} already here`)
  await scene.server.stop()
  await createUser(scene.folder, 'olaf')
  const moved = await podstep(['import', '--from', path, '--to', 'olaf'], { cwd: scene.folder.path })
  expect([moved.code, moved.err]).toEqual([0, expect.any(String)])
  expect(moved.out).toContain(`episode actions: ${actions} imported, 0 already here`)
})

test('what is broken or hostile is refused in words, and the server goes on', async () => {
  await using scene = await startScene()
  const whole = bytesOf(antennaPod)
  const cut = whole.subarray(0, whole.length - 4096)
  const garbage = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8192, 0xa5)])
  const headers = { 'content-type': 'application/octet-stream' }
  for (const [bytes, message] of [
    [cut, /database is damaged/],
    [garbage, /database is damaged/],
    [Buffer.from('<opmll/>'), /no file that can be imported/],
    [Buffer.from('<opml><body>'), /not well-formed/],
  ] as const) {
    const { json } = await scene.ida.post('/api/2/me/import', new Uint8Array(bytes), { headers })
    const report = await ended(scene, Number(recordAt(json)['id']))
    expect(report).toMatchObject({ state: 'failed', error: expect.stringMatching(message), counts: [] })
  }
  expect((await scene.ida.get('/api/2/devices/ida.json')).json).toEqual([])
  expect((await scene.anyone.get('/readyz')).status).toBe(200)
})
