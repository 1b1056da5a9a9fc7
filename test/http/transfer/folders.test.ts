import { expect, test } from 'bun:test'
import { tempDirs } from '../../store/temp-dir.ts'
import { importFile, openServer } from './scene.ts'

const dirs = tempDirs()
const [A, B] = ['a', 'b'].map((name) => `https://feeds.example/${name}`) as [string, string]

const feed = (url: string) => `<outline type="rss" xmlUrl="${url}" text="x"/>`
const nested = (name: string, ...inner: string[]) => `<outline text="${name}">${inner.join('')}</outline>`

const LONG = 'x'.repeat(101)

test.each<[string, string, Record<string, string[]>]>([
  ['outlines around podcasts', nested('Work', feed(A)) + nested('Home', feed(B)), { Home: [B], Work: [A] }],
  [
    'two with the same podcast',
    nested('Work', feed(A)) + nested('Home', feed(A), feed(B)),
    { Home: [A, B], Work: [A] },
  ],
  ['the inner of two outlines', nested('All', nested('Work', feed(A)), feed(B)), { All: [B], Work: [A] }],
  ['one next to a podcast without a folder', nested('Work', feed(A)) + feed(B), { Work: [A] }],
  ['none for "feeds" around all podcasts', nested('feeds', feed(A), feed(B)), {}],
  ['one around all podcasts', nested('Work', feed(A), feed(B)), { Work: [A, B] }],
  ['hostile names unchanged', nested('&lt;img src=x&gt; \u202e', feed(A)), { '<img src=x> \u202e': [A] }],
  ['none for a name that is too long', nested(LONG, feed(A)) + feed(B), {}],
  ['300 nested ones', `${'<outline text="deep">'.repeat(300)}${feed(A)}${'</outline>'.repeat(300)}`, { deep: [A] }],
])('imports the folders of OPML: %s', async (_case, body, expected) => {
  const world = await openServer(dirs.make())
  const file = `<opml version="2.0"><body>${body}</body></opml>`
  expect(await importFile(world, file, 'list.opml')).toMatchObject({ state: 'done' })
  const { json } = await world.ida.get('/api/2/me/folders')
  const { folders } = json as { folders: { name: string; podcasts: string[] }[] }
  const sorted = folders.map(({ name, podcasts }) => [name, podcasts.toSorted((a, b) => (a < b ? -1 : 1))])
  expect(Object.fromEntries(sorted)).toEqual(expected)
})

/** Starts a server with two podcasts, one of which is in a folder. */
async function openWithFolder() {
  const world = await openServer(dirs.make())
  await world.ida.post('/api/2/subscriptions/ida/phone.json', { add: [A, B] })
  await world.ida.post('/api/2/me/folders', { name: 'Work' })
  await world.ida.post('/api/2/me/folder-podcasts', { podcasts: [A], add: [1] })
  return world
}

const FOLDERS = { folders: [{ name: 'Work', podcasts: [A] }] }

test('imports the folders of exported OPML', async () => {
  const { ida } = await openWithFolder()
  const { text } = await ida.get('/api/2/me/export.opml')
  const other = await openServer(dirs.make())
  await importFile(other, text, 'podcasts.opml')
  expect((await other.ida.get('/api/2/me/folders')).json).toMatchObject(FOLDERS)
})

test('imports folders and queue of an archive once', async () => {
  const { ida } = await openWithFolder()
  const queue = [2, 1].map((n) => ({ podcast: A, episode: `${A}/${n}.mp3` }))
  await ida.put('/api/2/me/queue', { episodes: queue })
  const { text } = await ida.get('/api/2/me/export')
  const other = await openServer(dirs.make())
  for (const imported of [1, 0]) {
    const { counts } = (await importFile(other, text, 'podstep.json')) as { counts: { what: string }[] }
    expect(counts.filter(({ what }) => what === 'folders' || what === 'queue')).toEqual([
      { what: 'folders', imported, present: 1 - imported, skipped: 0 },
      { what: 'queue', imported: 2 * imported, present: 2 - 2 * imported, skipped: 0 },
    ] as never)
  }
  expect((await other.ida.get('/api/2/me/folders')).json).toMatchObject(FOLDERS)
  expect((await other.ida.get('/api/2/me/queue')).json).toMatchObject({
    items: queue.map(({ episode }) => ({ episode: { url: episode } })),
  })
})
