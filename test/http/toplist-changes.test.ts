import { describe, expect, test } from 'bun:test'
import { countsIn, openDirectory, urlOf } from './directory-scene.ts'

type Scene = Awaited<ReturnType<typeof openDirectory>>

const PEOPLE = { ida: ['a', 'b', 'c'], bob: ['a', 'b'], eva: ['a'] }
const BEFORE = ['a 3', 'b 2', 'c 1']

const toplist = async ({ anyone }: Scene) => countsIn(await anyone.get('/toplist.json'))

/** What an administrator does to an account. */
const administer = ({ admin }: Scene, method: string, path: string) => admin.call(method, `/api/admin/users/${path}`)

const ACTS: readonly [what: string, act: (scene: Scene) => Promise<unknown>, after: readonly string[]][] = [
  ['somebody subscribes to a new podcast', ({ change }) => change('eva', 'phone', { add: ['d'] }), [...BEFORE, 'd 1']],
  ['somebody subscribes to a known one', ({ change }) => change('eva', 'phone', { add: ['c'] }), ['a 3', 'b 2', 'c 2']],
  ['somebody unsubscribes', ({ change }) => change('ida', 'phone', { remove: ['a', 'c'] }), ['a 2', 'b 2']],
  [
    'a list is replaced',
    ({ as }) => as('ida').put('/subscriptions/ida/phone.txt', `${urlOf('c')}\n${urlOf('d')}\n`),
    ['a 2', 'b 1', 'c 1', 'd 1'],
  ],
  ['a device is deleted', ({ as }) => as('ida').delete('/api/2/devices/ida/phone.json'), ['a 2', 'b 1']],
  [
    'somebody wants nobody to know of it',
    ({ as }) =>
      as('ida').post(`/api/2/settings/ida/podcast.json?podcast=${urlOf('c')}`, { set: { public_subscription: false } }),
    ['a 3', 'b 2'],
  ],
  ['an account is deactivated', (scene) => administer(scene, 'POST', 'ida/deactivate'), ['a 2', 'b 1']],
  ['an account is deleted', (scene) => administer(scene, 'DELETE', 'ida'), ['a 2', 'b 1']],
  [
    'an account is deactivated and activated again',
    async (scene) => {
      await administer(scene, 'POST', 'ida/deactivate')
      await toplist(scene)
      await administer(scene, 'POST', 'ida/activate')
    },
    BEFORE,
  ],
  [
    'everybody has left',
    async (scene) => {
      for (const name of Object.keys(PEOPLE)) await administer(scene, 'DELETE', name)
    },
    [],
  ],
]

describe('the toplist is another one at once, when', () => {
  test.each(ACTS)('%s', async (_what, act, after) => {
    const scene = await openDirectory({ people: PEOPLE })
    expect(await toplist(scene)).toEqual(BEFORE)
    await act(scene)
    expect(await toplist(scene)).toEqual([...after])
  })

  test('a feed has another title', async () => {
    const scene = await openDirectory({ people: { ida: ['a', 'b'] }, feeds: { a: { title: 'A' }, b: { title: 'B' } } })
    expect(await toplist(scene)).toEqual(['a 1', 'b 1'])
    await scene.publish('a', { title: 'Z' })
    expect(await toplist(scene)).toEqual(['b 1', 'a 1'])
  })
})

describe('of one person counts', () => {
  test('a podcast once, on however many devices it is', async () => {
    const scene = await openDirectory({ people: PEOPLE })
    await scene.change('ida', 'desk', { add: ['b', 'c'] })
    await scene.change('ida', 'car', { add: ['c'] })
    expect(await toplist(scene)).toEqual(BEFORE)
    await scene.change('ida', 'phone', { remove: ['b', 'c'] })
    expect(await toplist(scene)).toEqual(BEFORE)
    await scene.as('ida').delete('/api/2/devices/ida/car.json')
    expect(await toplist(scene)).toEqual(BEFORE)
    await scene.change('ida', 'desk', { remove: ['c'] })
    expect(await toplist(scene)).toEqual(['a 3', 'b 2'])
  })
})
