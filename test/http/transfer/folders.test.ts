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
  ['a podcast in two', nested('Work', feed(A)) + nested('Home', feed(A), feed(B)), { Home: [A, B], Work: [A] }],
  ['the inner of two', nested('All', nested('Work', feed(A)), feed(B)), { All: [B], Work: [A] }],
  ['what is outside of all', nested('Work', feed(A)) + feed(B), { Work: [A] }],
  ['none for one outline around all podcasts', nested('feeds', feed(A), feed(B)), {}],
  ['a single folder of another name', nested('Work', feed(A), feed(B)), { Work: [A, B] }],
  ['hostile names as they are', nested('&lt;img src=x&gt; \u202e', feed(A)), { '<img src=x> \u202e': [A] }],
  ['none for a name that is too long', nested(LONG, feed(A)) + feed(B), {}],
  ['deep nests', `${'<outline text="deep">'.repeat(300)}${feed(A)}${'</outline>'.repeat(300)}`, { deep: [A] }],
])('an OPML file brings folders: %s', async (_case, body, expected) => {
  const { ida, ...world } = await openServer(dirs.make())
  const file = new TextEncoder().encode(`<opml version="2.0"><body>${body}</body></opml>`)
  for (let again = 0; again < 2; again++) {
    expect(await importFile({ ida, ...world }, file, 'list.opml')).toMatchObject({ state: 'done' })
    const { json } = await ida.get('/api/2/me/folders')
    const { folders } = json as { folders: { name: string; podcasts: string[] }[] }
    const found = Object.fromEntries(
      folders.map(({ name, podcasts }) => [name, podcasts.toSorted((a, b) => a.localeCompare(b))]),
    )
    expect(found).toEqual(expected)
  }
})

test('what goes out as OPML comes in with its folders', async () => {
  const one = await openServer(dirs.make())
  await one.ida.post('/api/2/subscriptions/ida/phone.json', { add: [A, B] })
  await one.ida.post('/api/2/me/folders', { name: 'Work' })
  await one.ida.post('/api/2/me/folder-podcasts', { podcasts: [A], add: [1] })
  const { text } = await one.ida.get('/api/2/me/export.opml')
  const other = await openServer(dirs.make())
  await importFile(other, new TextEncoder().encode(text), 'podcasts.opml')
  expect((await other.ida.get('/api/2/me/folders')).json).toMatchObject({ folders: [{ name: 'Work', podcasts: [A] }] })
})

test('an archive brings folders and the queue', async () => {
  const one = await openServer(dirs.make())
  await one.ida.post('/api/2/subscriptions/ida/phone.json', { add: [A, B] })
  await one.ida.post('/api/2/me/folders', { name: 'Work' })
  await one.ida.post('/api/2/me/folder-podcasts', { podcasts: [B], add: [1] })
  const queue = [2, 1].map((n) => ({ podcast: A, episode: `${A}/${n}.mp3` }))
  await one.ida.put('/api/2/me/queue', { episodes: queue })
  const { text } = await one.ida.get('/api/2/me/export')
  const other = await openServer(dirs.make())
  const file = new TextEncoder().encode(text)
  for (const imported of [1, 0]) {
    const { counts } = (await importFile(other, file, 'podstep.json')) as { counts: { what: string }[] }
    expect(counts.filter(({ what }) => what === 'folders' || what === 'queue')).toEqual([
      { what: 'folders', imported, present: 1 - imported, skipped: 0 },
      { what: 'queue', imported: 2 * imported, present: 2 - 2 * imported, skipped: 0 },
    ] as never)
  }
  expect((await other.ida.get('/api/2/me/folders')).json).toMatchObject({ folders: [{ name: 'Work', podcasts: [B] }] })
  expect((await other.ida.get('/api/2/me/queue')).json).toMatchObject({
    items: queue.map(({ episode }) => ({ episode: { url: episode } })),
  })
})
