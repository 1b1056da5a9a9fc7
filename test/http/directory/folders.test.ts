import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, signIn, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'

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
  Object.fromEntries(
    (await foldersOf(client)).map(({ name, podcasts }) => [
      name,
      podcasts.toSorted((one, other) => (one < other ? -1 : 1)),
    ]),
  )

async function open(...names: string[]) {
  const app = startTestApp()
  const ida = await signUp(app)
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [A, B] })
  const ids: number[] = []
  for (const name of names) {
    const { json } = await ida.post(FOLDERS, { name })
    ids.push((json as { folders: Folder[] }).folders.find((each) => each.name === name)?.id ?? 0)
  }
  return { app, ida, ids }
}

describe('folders (D117)', () => {
  test('are made, filled, renamed and removed', async () => {
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

  test('of a name that differs in case or accents alone are one', async () => {
    const { ida, ids } = await open('Café')
    expect((await ida.post(FOLDERS, { name: 'CAFE' })).status).toBe(200)
    expect(await foldersOf(ida)).toEqual([{ id: ids[0] ?? 0, name: 'Café', podcasts: [] }])
    expect((await ida.put(`${FOLDERS}/${ids[0]}`, { name: 'CAFÉ' })).status).toBe(200)
  })

  test.each([
    ['', 'empty'],
    [' \n ', 'blank'],
    ['x'.repeat(101), 'too long'],
    ['a\u0000b', 'with a control character'],
    ['\u200b', 'that cannot be seen'],
  ])('refuse the name %j, which is %s', async (name) => {
    const { ida, ids } = await open('Work')
    expectError(await ida.post(FOLDERS, { name }), 400, 'validation_failed', 'name')
    expectError(await ida.put(`${FOLDERS}/${ids[0]}`, { name }), 400, 'validation_failed', 'name')
    expect(await contents(ida)).toEqual({ Work: [] })
  })

  test.each<[string, (ida: Client, id: number) => ReturnType<Client['get']>, number, string]>([
    ['the name of another', (ida, id) => ida.put(`${FOLDERS}/${id}`, { name: 'OTHER' }), 400, 'validation_failed'],
    ['a folder that is none', (ida) => ida.put(`${FOLDERS}/99`, { name: 'x' }), 404, 'not_found'],
    ['an ID that is none', (ida) => ida.delete(`${FOLDERS}/x`), 400, 'validation_failed'],
    [
      'a podcast that is none',
      (ida, id) => ida.post(ASSIGN, { podcasts: [A, ''], add: [id] }),
      400,
      'validation_failed',
    ],
    ['a podcast never had', (ida, id) => ida.post(ASSIGN, { podcasts: [A, C], add: [id] }), 404, 'unknown_podcast'],
    ['an unknown folder', (ida, id) => ida.post(ASSIGN, { podcasts: [A], add: [id, 99] }), 404, 'not_found'],
    [
      'in and out at once',
      (ida, id) => ida.post(ASSIGN, { podcasts: [A], add: [id], remove: [id] }),
      400,
      'validation_failed',
    ],
  ])('refuse %s, and stay as they were', async (_case, ask, status, error) => {
    const { ida, ids } = await open('Work', 'Other')
    expect(await ask(ida, ids[0] ?? 0)).toMatchObject({ status, json: { error } })
    expect(await contents(ida)).toEqual({ Work: [], Other: [] })
  })

  test('are 200 at most', async () => {
    const { ida } = await open()
    for (let n = 0; n < 200; n++) await ida.post(FOLDERS, { name: `folder ${n}` })
    expectError(await ida.post(FOLDERS, { name: 'one more' }), 409, 'quota_exceeded')
    expect((await ida.post(FOLDERS, { name: 'FOLDER 7' })).status).toBe(200)
  })

  test('are for their user alone', async () => {
    const { app, ida, ids } = await open('Work')
    const ole = await signUp(app, 'ole')
    await ole.post('/api/2/subscriptions/ole/phone.json', { add: [A] })
    expect(await foldersOf(ole)).toEqual([])
    for (const asked of [
      ole.put(`${FOLDERS}/${ids[0]}`, { name: 'x' }),
      ole.delete(`${FOLDERS}/${ids[0]}`),
      ole.post(ASSIGN, { podcasts: [A], add: ids }),
    ])
      expectError(await asked, 404, 'not_found')
    expect(await contents(ida)).toEqual({ Work: [] })
    expect((await ole.get(`/api/2/me/inbox?folder=${ids[0]}`)).json).toEqual({ items: [], next: null })
  })

  test('keep a podcast that is unsubscribed, and show it again when it comes back', async () => {
    const { ida, ids } = await open('Work')
    await ida.post(ASSIGN, { podcasts: [A, B], add: ids })
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [A] })
    expect(await contents(ida)).toEqual({ Work: [B] })
    await ida.post('/api/2/subscriptions/ida/phone.json', { add: [A] })
    expect(await contents(ida)).toEqual({ Work: [A, B] })
  })

  test('keep a podcast that gets another address', async () => {
    const { app, ida, ids } = await open('Work')
    await ida.post(ASSIGN, { podcasts: [A], add: ids })
    const moved = 'https://feeds.example/moved'
    app.db.run('UPDATE podcasts SET moved_to = ?1 WHERE url = ?2', [moved, A])
    expect((await ida.post('/api/2/me/moves', { url: A, new_url: moved })).status).toBe(200)
    expect(await contents(ida)).toEqual({ Work: [moved] })
  })

  test('are read and changed by app passwords as their scopes let them', async () => {
    const { app } = await open('Work')
    const browser = await signIn(app)
    const { json } = await browser.post('/api/2/me/app-passwords', { name: 'x', scope: 'read' })
    const read = clientOf(app, basic('ida', (json as { password: string }).password))
    expect(await contents(read)).toEqual({ Work: [] })
    expectError(await read.post(FOLDERS, { name: 'x' }), 403, 'forbidden')
  })
})

describe('folders in OPML', () => {
  test('go out nested, a podcast in two folders twice, and hostile names escaped', async () => {
    const { ida, ids } = await open('<b>"Work"</b>', 'Other')
    await ida.post(ASSIGN, { podcasts: [A], add: ids })
    const { text } = await ida.get('/api/2/me/export.opml')
    const outlines = text.split('\n').filter((line) => line.includes('outline'))
    expect(outlines.map((line) => /text="[^"]*"|xmlUrl="[^"]*"|<\/outline>/.exec(line)?.[0])).toEqual([
      'text="&lt;b&gt;&quot;Work&quot;&lt;/b&gt;"',
      `xmlUrl="${A}"`,
      '</outline>',
      'text="Other"',
      `xmlUrl="${A}"`,
      '</outline>',
      `xmlUrl="${B}"`,
    ])
    expect((await ida.get('/subscriptions/ida.opml')).text).not.toContain('Work')
  })
})
