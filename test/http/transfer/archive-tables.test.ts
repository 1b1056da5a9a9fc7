import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'

/** Tables with rows of users, and the part of an archive that has them. */
const ARCHIVED: Readonly<Record<string, string>> = {
  devices: 'devices',
  subscriptions: 'devices',
  replaced_addresses: 'devices',
  sync_groups: 'sync_groups',
  queue_items: 'queue',
  folders: 'folders',
  folder_podcasts: 'folders',
  settings: 'settings and favorites',
  podcast_lists: 'podcast_lists',
  chapters: 'chapters',
  provisional_titles: 'titles',
  episode_actions: 'episode_actions',
  user_episodes: 'episode_actions, which they sum up',
  action_devices: 'episode_actions, which name them',
  identities: 'account, to be read: they prove who somebody is on this server',
  app_passwords: 'account, to be read: the passwords themselves are nowhere',
  webhooks: 'account, to be read: the address is a secret, and is not in it',
}

/** Why others are in no archive. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  sessions: 'secrets, of this server',
  tokens: 'secrets, of this server',
  login_flows: 'secrets, of this server',
  second_factors: 'secrets, of this server',
  recovery_codes: 'secrets, of this server',
  imports: 'what came of moving in is about this server',
  activity: 'what apps did on this server, for 30 days',
  listeners: 'follows from the subscriptions',
  joined_episodes: 'follows from the actions and from the feeds',
  action_uploads: 'logical times of uploads: apps fetch what they have not seen',
  list_changes: 'row numbers of this server, for 90 days (docs/decisions.md)',
  list_change_starts: 'since when there are such changes',
  webhook_messages: 'news that wait to be sent',
  webhook_news: 'news that wait to be sent',
}

test('every table of users is in the archive, or there is a reason why not', () => {
  const db = openMemoryDatabase()
  const names = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const links = new Map(
    names.map(({ name }) => [
      name,
      db
        .query<{ to: string }, [string]>('SELECT "table" AS "to" FROM pragma_foreign_key_list(?)')
        .all(name)
        .map(({ to }) => to),
    ]),
  )
  const isOfUser = (name: string, seen: readonly string[] = []): boolean =>
    (links.get(name) ?? []).some((to) => to === 'users' || (!seen.includes(to) && isOfUser(to, [...seen, name])))
  const ofUsers = names.map(({ name }) => name).filter((name) => isOfUser(name))
  const known = Object.keys({ ...ARCHIVED, ...LEFT_OUT })
  expect(new Set(ofUsers)).toEqual(new Set(known))
})
