import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'

/** Tables of user data, and the part of an archive that has them. */
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
  user_episodes: 'episode_actions, which they summarize',
  action_devices: 'episode_actions, which name them',
  identities: 'account, for information: valid only on this server',
  app_passwords: 'account, for information: only hashes are stored',
  webhooks: 'account, for information, without the address, which is a secret',
}

const SECRETS = ['sessions', 'tokens', 'login_flows', 'second_factors', 'recovery_codes']

/** Tables that archives omit, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SECRETS.map((name) => [name, 'secrets of this server'])),
  imports: 'reports of this server',
  activity: 'requests to this server in the last 30 days',
  listeners: 'derived from subscriptions',
  joined_episodes: 'derived from actions and feeds',
  action_uploads: 'logical times of this server',
  list_changes: 'row numbers of this server, for 90 days (docs/decisions.md)',
  list_change_starts: 'start of list_changes',
  webhook_messages: 'pending',
  webhook_news: 'pending',
}

test('every table of user data is in the archive or omitted for a reason', () => {
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
