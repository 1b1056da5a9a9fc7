import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../support/client.ts'
import { emptyFolder } from '../support/folder.ts'
import { type Account, check, listed, texts } from './account.ts'
import { type Device, fetchActions, fetchFeeds } from './device.ts'

/** Requests that had no answer when the process was killed: how many of them had been stored. */
export interface Unanswered {
  stored: number
  lost: number
}

/** What the killed process left behind, looked at in a copy: the real files are for the next process to recover. */
export function checkFiles(dataDir: string): void {
  using folder = emptyFolder()
  for (const name of ['podstep.db', 'podstep.db-wal'])
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), folder.file(name))
  const db = new Database(folder.file('podstep.db'))
  try {
    const damage = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
    check(damage.length === 1 && damage[0]?.integrity_check === 'ok', () => JSON.stringify(damage))
    const dangling = db.query('PRAGMA foreign_key_check').all()
    check(dangling.length === 0, () => JSON.stringify(dangling))
    // They have no foreign key to podcasts.
    const lost = db.query('SELECT * FROM subscriptions WHERE podcast_id NOT IN (SELECT id FROM podcasts)').all()
    check(lost.length === 0, () => JSON.stringify(lost))
  } finally {
    db.close()
  }
}

/** The device's list is what it was promised, and its deltas lead there from where it stood. */
export async function checkDevice(
  device: Device,
  client: Client,
  unanswered: Unanswered,
): Promise<ReadonlySet<string>> {
  const { account, uid, own, copy } = device
  await fetchFeeds(device, client)
  check((await fetchFeeds(device, client)).length === 0, () => `${account.name}/${uid}: the next delta is not empty`)
  const { status, json } = await client.get(`/subscriptions/${account.name}/${uid}.json`)
  // A device whose first upload got no answer may not exist yet.
  const list = new Set(status === 404 ? [] : texts(json))
  check(
    list.size === copy.size && [...list].every((url) => copy.has(url)),
    () => `${account.name}/${uid}: deltas led to ${listed(copy)}, the list is ${listed(list)}`,
  )

  const { add = [], remove = [] } = device.unanswered ?? {}
  const prefix = `https://feeds.example/${account.name}/${uid}/`
  const open = new Map([...add.map((url) => [url, true] as const), ...remove.map((url) => [url, false] as const)])
  const telling = [...open].filter(([url, wanted]) => url.startsWith(prefix) && (own.get(url) ?? false) !== wanted)
  const done = telling.filter(([url, wanted]) => list.has(url) === wanted)
  check(
    done.length === 0 || done.length === telling.length,
    () => `${account.name}/${uid}: half a request was stored: ${done.length} of ${telling.length} changes`,
  )
  if (telling.length > 0) unanswered[done.length > 0 ? 'stored' : 'lost']++
  for (const [url, isSubscribed] of own)
    if (!open.has(url))
      check(list.has(url) === isSubscribed, () => `${account.name}/${uid}: an acknowledged change of ${url} is gone`)
  for (const [url] of telling) own.set(url, list.has(url))
  device.unanswered = undefined
  return list
}

/** Every acknowledged action is there, every upload without an answer is there wholly or not at all, and nothing else is. */
export async function checkActions(account: Account, client: Client, unanswered: Unanswered): Promise<void> {
  await fetchActions(account, client)
  check((await fetchActions(account, client)) === 0, () => `${account.name}: the next fetch of actions is not empty`)
  for (const episodes of account.unanswered) {
    const stored = episodes.filter((episode) => account.fetched.has(episode))
    check(
      stored.length === 0 || stored.length === episodes.length,
      () => `${account.name}: half an upload was stored: ${stored.length} of ${episodes.length} actions`,
    )
    unanswered[stored.length > 0 ? 'stored' : 'lost']++
    for (const episode of stored) account.acknowledged.add(episode)
  }
  account.unanswered = []
  const missing = [...account.acknowledged].filter((episode) => !account.fetched.has(episode))
  check(missing.length === 0, () => `${account.name}: acknowledged actions are gone: ${missing.join(' ')}`)
  check(account.fetched.size === account.acknowledged.size, () => `${account.name}: actions that nobody sent`)
}

/** From nothing: as a new device of the user would see it. */
export async function checkAllActions(account: Account, client: Client): Promise<void> {
  account.fetched.clear()
  account.fetchedTo = 0
  await checkActions(account, client, { stored: 0, lost: 0 })
}
