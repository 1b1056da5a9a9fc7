import { test } from 'bun:test'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { episode, known, succeed } from '../feeds/feeds.ts'
import { A, addDevices, B, C, change, feedDocument, type OpenStore, T, withTwo, written } from '../fixtures.ts'

export const D = 'https://d.example/f'
export const X = 'https://x.example/f'

export interface World {
  readonly store: Store
  readonly ida: UserId
  readonly ole: UserId
}

/** Records the redirects of a feed, hop by hop; none without `to`. */
export async function leads({ store }: Pick<World, 'store'>, from: string, ...to: string[]): Promise<void> {
  await succeed(store, from, { leads: to })
}

/** Saves episodes with these guids. */
export async function give(store: Store, url: string, ...guids: number[]): Promise<void> {
  const { id } = await known(store, url)
  const episodes = guids.map((n) => episode(n, { guid: `guid ${n}` }))
  await written(store, store.feeds.saveDetails(id, feedDocument()))
  await written(store, store.feeds.saveEpisodes(id, episodes, T))
  await succeed(store, url)
}

export const sorted = (urls: readonly string[]) => urls.toSorted((one, other) => one.localeCompare(other))

/** Opens stores with two users, and reads the lists of ida. */
export function addressWorlds(open: OpenStore) {
  /** Ole is subscribed to all addresses, so that the server knows them. Ida's devices `group` form a sync group. */
  async function openWorld(group: readonly string[] = []): Promise<World> {
    const world = await withTwo(open)
    const { store, ida, ole } = world
    await change(store, ole, 'old', { add: [A, B, C, D, X] })
    await addDevices(store, ida, ...group)
    if (group.length > 1) await store.syncGroups.regroup(ida, { synchronize: [[...group]], stop: [] }, T)
    return world
  }

  const listOf = async ({ store, ida }: World, uid: string) => (await store.subscriptions.listDevice(ida, uid)) ?? []
  const userList = async ({ store, ida }: World) => (await store.subscriptions.listUser(ida)).map(({ url }) => url)
  async function changesOf({ store, ida }: World, uid: string, since: number) {
    const { add, remove } = await store.subscriptions.changesSince(ida, uid, since)
    return { add, remove: sorted(remove) }
  }

  const it = (title: string, body: (world: World) => Promise<void>) =>
    test(title, async () => body(await openWorld(['phone', 'desk'])))

  return { openWorld, listOf, userList, changesOf, it }
}
