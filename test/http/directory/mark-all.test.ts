import { expect, test } from 'bun:test'
import type { Answer, Client } from '../../support/client.ts'
import { expectError } from '../error.ts'
import {
  ACTIONS,
  allOf,
  IN_PROGRESS,
  INBOX,
  LENGTH,
  MARK,
  media,
  open,
  pageIn,
  playedTo,
  titlesIn,
} from './inbox-scene.ts'
import { urlOf } from './scene.ts'

/** docs/protocol.md#D118 */

const unplayed = async (ida: Client) =>
  (await allOf(ida, `${INBOX}?unplayed=true&per_page=100`)).map(({ episode }) => episode.title)
const named = (name: string, n: number) => ({ podcast: urlOf(name), episode: media(name, n) })
const undoOf = (answer?: Answer): string => Object(answer?.json).undo
const ALL = ['a 2', 'b 1', 'a 1', 'c 0', 'b 0', 'a 0']

test.each([
  ['everything', {}, []],
  ['a podcast', { podcasts: [urlOf('a')] }, ['b 1', 'b 0', 'c 0']],
  ['podcasts, without one that is not subscribed', { podcasts: [urlOf('a'), urlOf('c'), urlOf('z')] }, ['b 1', 'b 0']],
  ['podcasts with a tag', { tag: 'sea' }, []],
  ['no podcast for an unused tag', { tag: 'land' }, ALL],
  ['an episode and all older ones', { newest: named('b', 0) }, ['a 2', 'b 1', 'a 1', 'c 0']],
  ['older episodes of a podcast', { podcasts: [urlOf('a')], newest: named('a', 1) }, ['a 2', 'b 1', 'c 0', 'b 0']],
  ['episodes older than one of another podcast', { podcasts: [urlOf('a')], newest: named('b', 0) }, ALL.slice(0, 5)],
  ['episodes that are not new', { new: false }, ['a 2', 'b 1', 'c 0']],
  ['new episodes', { new: true }, ['a 1', 'b 0', 'a 0']],
  ['older episodes that are not new', { new: false, newest: named('a', 2) }, ['a 2', 'b 1', 'c 0']],
])('one request marks %s', async (_case, all, rest) => {
  const { ida, mark } = await open({ a: 3, b: 2, c: 1 })
  const before = await unplayed(ida)
  const { json } = await mark({ as: 'played', all })
  expect(new Set(await unplayed(ida))).toEqual(new Set(rest))
  expect(json).toMatchObject({ marked: before.length - rest.length, has_more: false })
  expect((await mark({ as: 'played', all })).json).toMatchObject({ marked: 0, undo: null })
})

test('one request marks the podcasts of a folder', async () => {
  const { ida, mark } = await open({ a: 3, b: 2, c: 1 })
  const { json } = await ida.post('/api/2/me/folders', { name: 'Sea' })
  const [{ id }] = (json as { folders: [{ id: number }] }).folders
  await ida.post('/api/2/me/folder-podcasts', { podcasts: [urlOf('b'), urlOf('c')], add: [id] })
  expect((await mark({ as: 'played', all: { folder: id + 1 } })).json).toMatchObject({ marked: 0 })
  const all = { folder: id, podcasts: [urlOf('a'), urlOf('b')] }
  expect((await mark({ as: 'played', all })).json).toMatchObject({ marked: 2 })
  expect(await unplayed(ida)).toEqual(['a 2', 'a 1', 'c 0', 'a 0'])
})

test('concurrent requests mark and restore more than 1,000 episodes once each', async () => {
  const { ida, mark, tell } = await open({ a: 1100 })
  await tell('a', 3, playedTo(LENGTH))
  await tell('a', 4)
  const begun = async () =>
    pageIn(await ida.get(IN_PROGRESS)).items.map(({ episode, position }) => [episode.url, position])
  const before = await begun()
  const marked = await mark({ as: 'played', podcast: urlOf('a') })
  expect(marked.json).toMatchObject({ marked: 1099, has_more: false })
  expect(await unplayed(ida)).toEqual([])
  const undo = undoOf(marked)
  expect((await mark({ undo })).json).toMatchObject({ marked: 1099, undo: expect.any(String) })
  expect(await unplayed(ida)).toHaveLength(1099)
  expect(await begun()).toEqual(before)
  expect((await mark({ undo })).json).toMatchObject({ marked: 0, undo: null })

  // PostgreSQL may take either request first.
  const byMarked = (answers: readonly Answer[]) =>
    answers.toSorted((one, other) => Object(other.json).marked - Object(one.json).marked)
  const twice = byMarked(await Promise.all([mark({ as: 'played', all: {} }), mark({ as: 'played', all: {} })]))
  expect(twice).toMatchObject([{ json: { marked: 1099 } }, { json: { marked: 0 } }])
  const undone = byMarked(await Promise.all(twice.map(() => mark({ undo: undoOf(twice[0]) }))))
  expect(undone).toMatchObject([{ json: { marked: 1099 } }, { json: { marked: 0 } }])
  expect(await unplayed(ida)).toHaveLength(1099)
})

test('an undo keeps later actions and marks, and does not apply to other users', async () => {
  const { app, as, ida, mark, tell, change } = await open({ a: 3 })
  await change('bob', 'phone', { add: ['a'] })
  const undo = undoOf(await mark({ as: 'played', all: {} }))
  expect((await as('bob').post(MARK, { undo })).json).toMatchObject({ marked: 0 })
  app.clock.advance(100)
  await tell('a', 0, playedTo(300, '2025-03-02T10:01:00'))
  for (const as of ['new', 'played']) await mark({ as, episodes: [named('a', 1)] })
  expect((await mark({ undo })).json).toMatchObject({ marked: 1 })
  expect(pageIn(await ida.get(INBOX)).items.map(({ state }) => state)).toEqual(['new', 'played', 'in_progress'])
})

test('an undo covers all media URLs of an episode, and can be undone', async () => {
  const { ida, mark, tell } = await open({ a: 1 })
  await tell('a', 0, { guid: 'fog', position: 100 })
  await tell('a', 9, { guid: 'fog', position: 200 })
  const back = await mark({ undo: undoOf(await mark({ as: 'played', episodes: [named('a', 9)] })) })
  expect(pageIn(await ida.get(IN_PROGRESS)).items).toMatchObject([{ position: 200, total: LENGTH }])
  await mark({ undo: undoOf(back) })
  expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual([])
})

test('invalid requests mark nothing', async () => {
  const { ida, mark } = await open({ a: 1 })
  const nowhere = { podcast: 'x', episode: 'y' }
  for (const [body, code, field] of [
    [{ as: 'played', all: {}, episodes: [] }, 'validation_failed', 'episodes'],
    [{ as: 'played', all: {}, podcast: urlOf('a') }, 'validation_failed', 'episodes'],
    [{ as: 'in_progress', all: {} }, 'validation_failed', 'episodes'],
    [{ all: {} }, 'validation_failed', 'as'],
    [{}, 'validation_failed', 'as'],
    [{ as: 'played', all: { new: 'yes' } }, 'validation_failed', 'all'],
    [{ as: 'new', all: { podcasts: Array(5001).fill('x') } }, 'validation_failed', 'all'],
    [{ as: 'new', all: { newest: nowhere } }, 'validation_failed', 'all'],
    [{ as: 'played', all: { podcasts: [urlOf('z')] } }, 'unknown_podcast', undefined],
    [{ as: 'played', all: { podcasts: [] } }, 'unknown_podcast', undefined],
    [{ as: 'played', all: { newest: named('a', 9) } }, 'unknown_episode', undefined],
    [{ as: 'played', all: { newest: named('z', 0) } }, 'unknown_episode', undefined],
    [{ as: 'played', undo: '1' }, 'validation_failed', 'undo'],
    [{ podcast: urlOf('a'), undo: '1' }, 'validation_failed', 'undo'],
    [{ undo: '1; DROP TABLE users' }, 'validation_failed', 'undo'],
    [{ undo: '' }, 'validation_failed', 'undo'],
    [{ undo: Array(101).fill('1').join('.') }, 'validation_failed', 'undo'],
  ] as const)
    expectError(await mark(body), code === 'validation_failed' ? 400 : 404, code, field)
  expect((await mark({ undo: 'zzz.1' })).json).toMatchObject({ marked: 0, undo: null })
  expect((await ida.get(`${ACTIONS}?since=0`)).json).toMatchObject({ actions: [] })
  const nothing = await open({})
  expect((await nothing.mark({ as: 'played', all: {} })).json).toMatchObject({ marked: 0, undo: null })
})
