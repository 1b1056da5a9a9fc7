import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Client, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'

/** docs/protocol.md#D117 */

const FOLDERS = '/api/2/me/folders'
const ASSIGN = '/api/2/me/folder-podcasts'
const [A, B, C] = ['a', 'b', 'c'].map((name) => `https://feeds.example/${name}`) as [string, string, string]

interface Folder {
  readonly id: number
  readonly name: string
  readonly podcasts: readonly string[]
}

async function foldersOf(client: Client): Promise<readonly Folder[]> {
  return ((await client.get(FOLDERS)).json as { folders: Folder[] }).folders
}

const contents = async (client: Client) =>
  Object.fromEntries((await foldersOf(client)).map(({ name, podcasts }) => [name, podcasts.toSorted()]))

async function open(...names: string[]) {
  const app = startTestApp()
  const ida = await signUp(app)
  const change = (body: object) => ida.post('/api/2/subscriptions/ida/phone.json', body)
  await change({ add: [A, B] })
  for (const name of names) await ida.post(FOLDERS, { name })
  const folders = await foldersOf(ida)
  return { app, ida, change, ids: names.map((name) => folders.find((each) => each.name === name)?.id ?? 0) }
}

test('folders are created, filled, renamed and removed (D117)', async () => {
  const { ida, ids } = await open('Work', 'äther')
  const [work, ether] = ids
  expect(await contents(ida)).toEqual({ Work: [], äther: [] })
  expect(await ida.post(ASSIGN, { podcasts: [A, B], add: [work] })).toMatchObject({ status: 200 })
  await ida.post(ASSIGN, { podcasts: [A], add: [ether] })
  expect(await contents(ida)).toEqual({ Work: [A, B], äther: [A] })
  await ida.post(ASSIGN, { podcasts: [A], add: [ether], remove: [work] })
  await ida.put(`${FOLDERS}/${ether}`, { name: ' Zur\tArbeit ' })
  expect(await contents(ida)).toEqual({ Work: [B], 'Zur Arbeit': [A] })
  expect(await ida.delete(`${FOLDERS}/${work}`)).toMatchObject({ status: 200 })
  expect(await contents(ida)).toEqual({ 'Zur Arbeit': [A] })
  expect((await ida.get('/subscriptions/ida/phone.json')).json).toEqual([A, B])
})

test('invalid requests, and those of other users, change no folder', async () => {
  const { app, ida, ids } = await open('Work', 'Café')
  const [id] = ids
  // Names are unique regardless of case and accents.
  expect((await ida.post(FOLDERS, { name: 'CAFE' })).status).toBe(200)
  expect((await ida.put(`${FOLDERS}/${ids[1]}`, { name: 'CAFÉ' })).status).toBe(200)
  for (const name of ['', ' \n ', 'x'.repeat(101), 'a\u0000b', '\u200b', 'CAFE']) {
    if (name !== 'CAFE') expectError(await ida.post(FOLDERS, { name }), 400, 'validation_failed', 'name')
    expectError(await ida.put(`${FOLDERS}/${id}`, { name }), 400, 'validation_failed', 'name')
  }
  expectError(await ida.put(`${FOLDERS}/99`, { name: 'x' }), 404, 'not_found')
  for (const [body, status, error] of [
    [{ podcasts: [A, ''], add: [id] }, 400, 'validation_failed'],
    [{ podcasts: [A, C], add: [id] }, 404, 'unknown_podcast'],
    [{ podcasts: [A], add: [id, 99] }, 404, 'not_found'],
    [{ podcasts: [A], add: [id], remove: [id] }, 400, 'validation_failed'],
  ] as const)
    expect(await ida.post(ASSIGN, body)).toMatchObject({ status, json: { error } })
  const ole = await signUp(app, 'ole')
  await ole.post('/api/2/subscriptions/ole/phone.json', { add: [A] })
  expect(await foldersOf(ole)).toEqual([])
  expectError(await ole.put(`${FOLDERS}/${id}`, { name: 'x' }), 404, 'not_found')
  expectError(await ole.delete(`${FOLDERS}/${id}`), 404, 'not_found')
  expectError(await ole.post(ASSIGN, { podcasts: [A], add: ids }), 404, 'not_found')
  expect((await ole.get(`/api/2/me/inbox?folder=${id}`)).json).toEqual({ items: [], next: null })
  expect(await contents(ida)).toEqual({ Work: [], CAFÉ: [] })
})

test('a user has at most 200 folders', async () => {
  const { ida } = await open()
  for (let n = 0; n < 200; n++) await ida.post(FOLDERS, { name: `folder ${n}` })
  expectError(await ida.post(FOLDERS, { name: 'one more' }), 409, 'quota_exceeded')
  expect((await ida.post(FOLDERS, { name: 'FOLDER 7' })).status).toBe(200)
})

test('a podcast keeps its folders when it moves, or is subscribed again', async () => {
  const { app, ida, ids, change } = await open('Work')
  await ida.post(ASSIGN, { podcasts: [A, B], add: ids })
  await change({ remove: [A] })
  expect(await contents(ida)).toEqual({ Work: [B] })
  await change({ add: [A] })
  expect(await contents(ida)).toEqual({ Work: [A, B] })
  const moved = 'https://feeds.example/moved'
  await app.rowsOf('UPDATE podcasts SET moved_to = $1 WHERE url = $2', moved, A)
  expect((await ida.post('/api/2/me/moves', { url: A, new_url: moved })).status).toBe(200)
  expect(await contents(ida)).toEqual({ Work: [B, moved] })
})

test('OPML has folders as outlines with escaped names, and a podcast in each of its folders', async () => {
  const { ida, ids } = await open('<b>"Work"</b>', 'Other')
  await ida.post(ASSIGN, { podcasts: [A], add: ids })
  const { text } = await ida.get('/api/2/me/export.opml')
  const outlines = text.split('\n').filter((line) => line.includes('outline'))
  expect(outlines.map((line) => /text="[^"]*"|xmlUrl="[^"]*"|<\/outline>/.exec(line)?.[0])).toEqual([
    ...['text="&lt;b&gt;&quot;Work&quot;&lt;/b&gt;"', `xmlUrl="${A}"`, '</outline>'],
    ...['text="Other"', `xmlUrl="${A}"`, '</outline>', `xmlUrl="${B}"`],
  ])
  expect((await ida.get('/subscriptions/ida.opml')).text).not.toContain('Work')
})
