import { describe, expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { SettingsScope } from '../../../src/domain/sync/ports/settings.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/stores.ts'
import { A, action, addUser, B, BY_COMMAND_LINE, change, report } from '../contract/fixtures.ts'
import { setBlocked, setSecret } from './listeners-world.ts'

type Feed = 'an ordinary feed' | 'a secret feed' | 'a blocked feed' | 'a secret and blocked feed'

/** Somebody who has the feed, or had it once, or whose account is not active; and what they chose. */
type Listener = `${'has' | 'had' | 'inactive'}${'' | ', hides' | ', publishes'}`

async function open() {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  // A podcast that is known although nobody ever had it.
  await report(store, await addUser(store, 'passer-by'), [action({ podcast: A })])
  const flag = db.query<{ isPrivate: number }, [string]>('SELECT is_private AS isPrivate FROM podcasts WHERE url = ?1')
  return {
    store,
    become(feed: Feed) {
      setSecret(db, A, feed.includes('secret'))
      setBlocked(db, A, feed.includes('blocked'))
    },
    /** As the indexer has decided; before it has, nothing is public that is to be private. */
    async isPrivate() {
      const before = flag.get(A)?.isPrivate
      while (await store.indexStore.hasPending()) await store.indexStore.indexBatch(10)
      const after = flag.get(A)?.isPrivate
      expect([before, after]).not.toEqual([0, 1])
      return after === 1
    },
  }
}

const choose = (store: Store, id: UserId, value: unknown, scope: SettingsScope = 'podcast', target = A) =>
  store.settings.change(id, { scope, target }, { set: { public_subscription: value }, remove: [] }, 0)

async function join(store: Store, name: string, listener: Listener): Promise<void> {
  const id = await addUser(store, name)
  await change(store, id, 'phone', { add: [A] })
  const chosen = choiceOf(listener)
  if (chosen !== undefined) await choose(store, id, chosen)
  if (listener.startsWith('had')) await change(store, id, 'phone', { remove: [A] })
  if (listener.startsWith('inactive')) await store.users.setActive(name, false, BY_COMMAND_LINE)
}

function choiceOf(listener: Listener): boolean | undefined {
  if (listener.endsWith('hides')) return false
  return listener.endsWith('publishes') ? true : undefined
}

const ORDINARY = 'an ordinary feed'
const SECRET = 'a secret feed'

describe('what others get to see (D56):', () => {
  test.each<[Feed, Listener[], 'public' | 'private']>([
    [ORDINARY, [], 'public'],
    [ORDINARY, ['has, hides'], 'private'],
    [ORDINARY, ['has, hides', 'has'], 'public'],
    [ORDINARY, ['has, hides', 'had'], 'private'],
    [ORDINARY, ['has', 'inactive, hides'], 'public'],
    [ORDINARY, ['had, hides', 'had'], 'private'],
    [ORDINARY, ['inactive, hides'], 'private'],
    [SECRET, ['has'], 'private'],
    [SECRET, ['has, publishes'], 'public'],
    [SECRET, ['has, publishes', 'has'], 'private'],
    [SECRET, ['has, publishes', 'inactive, hides'], 'public'],
    [SECRET, ['had, publishes'], 'private'],
    ['a blocked feed', ['has, publishes'], 'public'],
    ['a blocked feed', ['has, publishes', 'has'], 'private'],
    ['a secret and blocked feed', ['has'], 'private'],
  ])('%s, of listeners %j, is %s', async (feed, listeners, expected) => {
    // Whether it is known what the feed is before anybody comes or after makes no difference.
    for (const isKnownFirst of [true, false]) {
      const world = await open()
      world.become(isKnownFirst ? feed : ORDINARY)
      for (const [n, listener] of listeners.entries()) await join(world.store, `user${n}`, listener)
      world.become(feed)
      expect(await world.isPrivate()).toBe(expected === 'private')
    }
  })
})

test('a choice of anything else than this podcast does not count', async () => {
  const { store, become, isPrivate } = await open()
  const ida = await addUser(store)
  await change(store, ida, 'phone', { add: [A] })
  become(ORDINARY)
  for (const target of [B, `${A}/`]) await choose(store, ida, false, 'podcast', target)
  await choose(store, ida, false, 'account', '')
  await choose(store, ida, false, 'device', 'phone')
  await choose(store, ida, false, 'episode', `${A} ${B}`)
  expect(await isPrivate()).toBe(false)
})

test.each([true, false])(
  'a choice made before its user has the podcast counts from then on; active: %s',
  async (active) => {
    const { store, become, isPrivate } = await open()
    become(ORDINARY)
    await join(store, 'ole', 'inactive')
    expect(await isPrivate()).toBe(false)
    const eva = await addUser(store, 'eva')
    await choose(store, eva, false)
    expect(await isPrivate()).toBe(false)
    await store.users.setActive('eva', active, BY_COMMAND_LINE)
    await change(store, eva, 'phone', { add: [A] })
    expect(await isPrivate()).toBe(true)
  },
)

describe('a podcast that one person has hidden stays so', () => {
  test.each<[string, (store: Store, ida: UserId) => Promise<unknown>]>([
    ['has left, on one of two devices', (store, ida) => change(store, ida, 'phone', { remove: [A] })],
    ['has replaced the list', (store, ida) => store.subscriptions.replace(ida, 'phone', [], 0)],
    ['has removed a device', (store, ida) => store.devices.remove(ida, 'phone', 0)],
    ['is not let in any more', (store) => store.users.setActive('ida', false, BY_COMMAND_LINE)],
    ['has closed the account', (store) => store.users.remove('ida', BY_COMMAND_LINE)],
  ])('after the only one who had it %s', async (_what, go) => {
    const { store, become, isPrivate } = await open()
    become(ORDINARY)
    const ida = await addUser(store)
    for (const uid of ['phone', 'desk']) await change(store, ida, uid, { add: [A] })
    await choose(store, ida, false)
    expect(await isPrivate()).toBe(true)
    await go(store, ida)
    expect(await isPrivate()).toBe(true)
    await store.devices.remove(ida, 'desk', 0).catch(() => undefined)
    expect(await isPrivate()).toBe(true)
  })
})
