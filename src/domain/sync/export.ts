import type { Clock } from '../../platform/clock.ts'
import type { AppPassword, AppPasswordStore } from '../accounts/ports/app-passwords.ts'
import type { Identity, IdentityStore } from '../accounts/ports/identities.ts'
import type { User } from '../accounts/ports/users.ts'
import type { UserId } from '../shared/ids.ts'
import { timeOf } from './cursors.ts'
import type { Devices } from './devices.ts'
import type { Device, SyncGroupStore } from './ports/devices.ts'
import type { Chunks, EpisodeAction, EpisodeActionStore } from './ports/episode-actions.ts'
import type {
  EpisodeTitles,
  ExportStore,
  StoredChapter,
  StoredFavorite,
  StoredFolder,
  StoredList,
  StoredQueued,
  StoredSettings,
  StoredTitle,
  StoredWebhook,
} from './ports/export.ts'

export const ARCHIVE_FORMAT = 'podstep account'
export const ARCHIVE_VERSION = 1

export interface ExportedAccount {
  readonly at: number
  readonly user: User
  readonly createdAt: number
  readonly identities: readonly Identity[]
  readonly appPasswords: readonly AppPassword[]
  readonly webhook: StoredWebhook | undefined
  readonly devices: readonly Device[]
  feedsOf(device: string, isSubscribed: boolean): AsyncIterable<readonly ExportedFeed[]>
  replacedAddressesOf(device: string): AsyncIterable<readonly string[]>
  readonly syncGroups: readonly (readonly string[])[]
  readonly settings: AsyncIterable<readonly StoredSettings[]>
  readonly favorites: AsyncIterable<readonly StoredFavorite[]>
  readonly folders: readonly StoredFolder[]
  readonly queue: readonly StoredQueued[]
  readonly lists: AsyncIterable<readonly StoredList[]>
  readonly chapters: AsyncIterable<readonly StoredChapter[]>
  readonly titles: AsyncIterable<readonly StoredTitle[]>
  readonly actions: Chunks<EpisodeAction>
}

export interface HistoryEntry {
  readonly action: EpisodeAction
  readonly titles: EpisodeTitles
}

export interface ExportedFeed {
  readonly url: string
  readonly at: number | undefined
}

export function createAccountExport(parts: {
  readonly store: ExportStore
  readonly identities: IdentityStore
  readonly appPasswords: AppPasswordStore
  readonly devices: Devices
  readonly syncGroups: SyncGroupStore
  readonly episodeActions: EpisodeActionStore
  readonly clock: Clock
}) {
  const { store, identities, appPasswords, devices, syncGroups, episodeActions, clock } = parts

  async function* withTitles(userId: UserId, chunks: Chunks<EpisodeAction>): AsyncGenerator<readonly HistoryEntry[]> {
    for await (const actions of chunks) {
      const titles = await store.titlesOf(userId, actions)
      yield actions.map((action, index) => ({ action, titles: titles[index] ?? { podcast: '', episode: '' } }))
    }
  }

  return {
    async history({ id }: User): Promise<AsyncIterable<readonly HistoryEntry[]>> {
      const { chunks } = await episodeActions.list(id, { since: 0, aggregated: false })
      return withTitles(id, chunks)
    },

    /** Rejects with `unauthorized` if the user was deleted. */
    async read(user: User): Promise<ExportedAccount> {
      const at = clock.seconds()
      const { id } = user
      const { chunks } = await episodeActions.list(id, { since: 0, aggregated: false, isArchive: true })
      return {
        at,
        user,
        createdAt: await store.createdAt(id),
        identities: await identities.list(id),
        appPasswords: await appPasswords.list(id, at),
        webhook: await store.webhook(id),
        devices: await devices.list(id),
        async *feedsOf(device, isSubscribed) {
          for await (const chunk of store.feeds(id, device, isSubscribed))
            yield chunk.map(({ url, seq }) => ({ url, at: timeOf(seq, at) }))
        },
        replacedAddressesOf: (device) => store.replacedAddresses(id, device),
        syncGroups: (await syncGroups.status(id)).synchronized,
        settings: store.settings(id),
        favorites: store.favorites(id),
        folders: await store.folders(id),
        queue: await store.queue(id),
        lists: store.lists(id),
        chapters: store.chapters(id),
        titles: store.titles(id),
        actions: chunks,
      }
    },
  }
}
