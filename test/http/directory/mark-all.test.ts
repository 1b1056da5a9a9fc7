import { describe, expect, test } from 'bun:test'
import { expectError } from '../error.ts'
import { ACTIONS, allOf, IN_PROGRESS, INBOX, LENGTH, media, open, pageIn, playedTo, titlesIn } from './inbox-scene.ts'
import { urlOf } from './scene.ts'

/** docs/protocol.md#D118 */
describe('one request marks', () => {
  const unplayed = async (ida: Parameters<typeof allOf>[0]) =>
    (await allOf(ida, `${INBOX}?unplayed=true&per_page=100`)).map(({ episode }) => episode.title)
  const named = (name: string, n: number) => ({ podcast: urlOf(name), episode: media(name, n) })

  test.each([
    ['all of everything', {}, []],
    ['a podcast', { podcasts: [urlOf('a')] }, ['b 1', 'b 0', 'c 0']],
    ['several podcasts, one of them of others', { podcasts: [urlOf('a'), urlOf('c'), urlOf('z')] }, ['b 1', 'b 0']],
    ['podcasts with a tag', { tag: 'sea' }, []],
    ['podcasts with no such tag', { tag: 'land' }, ['a 2', 'b 1', 'a 1', 'c 0', 'b 0', 'a 0']],
    ['an episode and all that are older', { newest: named('b', 0) }, ['a 2', 'b 1', 'a 1', 'c 0']],
    ['older ones of the podcast', { podcasts: [urlOf('a')], newest: named('a', 1) }, ['a 2', 'b 1', 'c 0', 'b 0']],
    [
      'what is older than another podcast tells',
      { podcasts: [urlOf('a')], newest: named('b', 0) },
      ['a 2', 'b 1', 'a 1', 'c 0', 'b 0'],
    ],
    ['what is not new', { new: false }, ['a 2', 'b 1', 'c 0']],
    ['what is new', { new: true }, ['a 1', 'b 0', 'a 0']],
    ['older ones that are not new', { new: false, newest: named('a', 2) }, ['a 2', 'b 1', 'c 0']],
  ])('%s', async (_what, all, rest) => {
    const { ida, mark } = await open({ a: 3, b: 2, c: 1 })
    const before = await unplayed(ida)
    const { json } = await mark({ as: 'played', all })
    expect(new Set(await unplayed(ida))).toEqual(new Set(rest))
    expect(json).toMatchObject({ marked: before.length - rest.length, has_more: false })
    expect((await mark({ as: 'played', all })).json).toMatchObject({ marked: 0, undo: null })
  })

  test('the podcasts in a folder, and none by a folder that is not there', async () => {
    const { ida, mark } = await open({ a: 3, b: 2, c: 1 })
    const { json } = await ida.post('/api/2/me/folders', { name: 'Sea' })
    const [{ id }] = (json as { folders: [{ id: number }] }).folders
    await ida.post('/api/2/me/folder-podcasts', { podcasts: [urlOf('b'), urlOf('c')], add: [id] })
    expect((await mark({ as: 'played', all: { folder: id + 1 } })).json).toMatchObject({ marked: 0 })
    expect((await mark({ as: 'played', all: { folder: id, podcasts: [urlOf('a'), urlOf('b')] } })).json).toMatchObject({
      marked: 2,
    })
    expect(await unplayed(ida)).toEqual(['a 2', 'a 1', 'c 0', 'a 0'])
  })

  test('1,500 episodes, and undoes them', async () => {
    const { ida, mark, tell } = await open({ a: 1500 })
    await tell('a', 3, playedTo(LENGTH))
    await tell('a', 4)
    const before = pageIn(await ida.get(IN_PROGRESS)).items.map(({ episode, position }) => [episode.url, position])
    const { json } = await mark({ as: 'played', podcast: urlOf('a') })
    expect(json).toMatchObject({ marked: 1499, has_more: false })
    expect(await unplayed(ida)).toEqual([])
    const { undo } = json as { undo: string }
    expect((await mark({ undo })).json).toMatchObject({ marked: 1499, undo: expect.any(String) })
    expect(await unplayed(ida)).toHaveLength(1499)
    const after = pageIn(await ida.get(IN_PROGRESS)).items.map(({ episode, position }) => [episode.url, position])
    expect(after).toEqual(before)
    expect((await mark({ undo })).json).toMatchObject({ marked: 0, undo: null })
  })

  test('nothing again that is asked for twice at once, and undoes it once', async () => {
    const { ida, mark } = await open({ a: 30, b: 30 })
    const twice = await Promise.all([mark({ as: 'played', all: {} }), mark({ as: 'played', all: {} })])
    expect(twice.map(({ json }) => Reflect.get(Object(json), 'marked'))).toEqual([60, 0])
    const undo = Reflect.get(Object(twice[0].json), 'undo')
    const undone = await Promise.all([mark({ undo }), mark({ undo })])
    expect(undone.map(({ json }) => Reflect.get(Object(json), 'marked'))).toEqual([60, 0])
    expect(await unplayed(ida)).toHaveLength(60)
  })

  test('what an undo leaves alone: what was heard or marked since, and marks of others', async () => {
    const { app, as, ida, mark, tell, change } = await open({ a: 3 })
    await change('bob', 'phone', { add: ['a'] })
    const { json } = await mark({ as: 'played', all: {} })
    const { undo } = json as { undo: string }
    expect((await as('bob').post('/api/2/me/episodes/mark', { undo })).json).toMatchObject({ marked: 0 })
    app.clock.advance(100)
    await tell('a', 0, playedTo(300, '2025-03-02T10:01:00'))
    await mark({ as: 'new', episodes: [named('a', 1)] })
    await mark({ as: 'played', episodes: [named('a', 1)] })
    expect((await mark({ undo })).json).toMatchObject({ marked: 1 })
    expect(pageIn(await ida.get(INBOX)).items.map(({ state }) => state)).toEqual(['new', 'played', 'in_progress'])
  })

  test('an undo restores what several media URLs of one episode say, and can be undone', async () => {
    const { ida, mark, tell } = await open({ a: 1 })
    await tell('a', 0, { guid: 'fog', position: 100 })
    await tell('a', 9, { guid: 'fog', position: 200 })
    const { json } = await mark({ as: 'played', episodes: [named('a', 9)] })
    const back = await mark({ undo: Reflect.get(Object(json), 'undo') })
    expect(pageIn(await ida.get(IN_PROGRESS)).items).toMatchObject([{ position: 200, total: LENGTH }])
    await mark({ undo: Reflect.get(Object(back.json), 'undo') })
    expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual([])
  })

  test.each([
    ['no filter', { as: 'played', all: 'x' }, 400, 'validation_failed', 'all'],
    ['a filter and episodes', { as: 'played', all: {}, episodes: [] }, 400, 'validation_failed', 'episodes'],
    ['a filter and a podcast', { as: 'played', all: {}, podcast: urlOf('a') }, 400, 'validation_failed', 'episodes'],
    ['a filter in progress', { as: 'in_progress', all: {} }, 400, 'validation_failed', 'episodes'],
    ['no state', { all: {} }, 400, 'validation_failed', 'as'],
    ['nothing', {}, 400, 'validation_failed', 'as'],
    ['another type', { as: 'played', all: { new: 'yes' } }, 400, 'validation_failed', 'all'],
    ['too many podcasts', { as: 'new', all: { podcasts: Array(5001).fill('x') } }, 400, 'validation_failed', 'all'],
    [
      'an address that is none',
      { as: 'new', all: { newest: { podcast: 'x', episode: 'y' } } },
      400,
      'validation_failed',
      'all',
    ],
    ['podcasts of others', { as: 'played', all: { podcasts: [urlOf('z')] } }, 404, 'unknown_podcast', undefined],
    ['no podcasts', { as: 'played', all: { podcasts: [] } }, 404, 'unknown_podcast', undefined],
    ['an unknown episode', { as: 'played', all: { newest: named('a', 9) } }, 404, 'unknown_episode', undefined],
    ['an episode of others', { as: 'played', all: { newest: named('z', 0) } }, 404, 'unknown_episode', undefined],
    ['an undo and a mark', { as: 'played', undo: '1' }, 400, 'validation_failed', 'undo'],
    ['an undo of a podcast', { podcast: urlOf('a'), undo: '1' }, 400, 'validation_failed', 'undo'],
    ['an undo that is none', { undo: '1; DROP TABLE users' }, 400, 'validation_failed', 'undo'],
    ['an empty undo', { undo: '' }, 400, 'validation_failed', 'undo'],
    ['a long undo', { undo: Array(101).fill('1').join('.') }, 400, 'validation_failed', 'undo'],
  ])('nothing with %s', async (_what, body, status, code, field) => {
    const { ida, mark } = await open({ a: 1 })
    expectError(await mark(body), status, code, field)
    expect((await ida.get(`${ACTIONS}?since=0`)).json).toMatchObject({ actions: [] })
  })

  test('nothing without podcasts, or by an undo that nobody was given', async () => {
    const { mark } = await open({})
    expect((await mark({ as: 'played', all: {} })).json).toMatchObject({ marked: 0, undo: null })
    expect((await mark({ undo: 'zzz.1' })).json).toMatchObject({ marked: 0, undo: null })
  })
})
