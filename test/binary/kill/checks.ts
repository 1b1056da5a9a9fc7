import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../support/client.ts'
import { emptyFolder } from '../support/folder.ts'
import { type Account, check, listed, texts } from './account.ts'
import { type Device, fetchActions, fetchFeeds } from './device.ts'

/** Numbers of requests without a response that had been stored, and that had not. */
export interface Unanswered {
  stored: number
  lost: number
}

/** Checks a copy of the files of a killed process, since the next process recovers the real ones. */
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
    // Subscriptions have no foreign key to podcasts.
    const lost = db.query('SELECT * FROM subscriptions WHERE podcast_id NOT IN (SELECT id FROM podcasts)').all()
    check(lost.length === 0, () => JSON.stringify(lost))
  } finally {
    db.close()
  }
}

/** Checks that the device's list has all acknowledged changes, and is what its deltas add up to. */
export async function checkDevice(
  device: Device,
  client: Client,
  unanswered: Unanswered,
): Promise<ReadonlySet<string>> {
  const { account, uid, own, copy } = device
  await fetchFeeds(device, client)
  check((await fetchFeeds(device, client)).length === 0, () => `${account.name}/${uid}: the next delta is not empty`)
  const { status, json } = await client.get(`/subscriptions/${account.name}/${uid}.json`)
  // A device does not exist if its first upload was lost.
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

/** Checks that all acknowledged actions are stored, unanswered uploads completely or not at all, and no others. */
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

/** `checkActions` without a cursor, as for a new device. */
export async function checkAllActions(account: Account, client: Client): Promise<void> {
  account.fetched.clear()
  account.fetchedTo = 0
  await checkActions(account, client, { stored: 0, lost: 0 })
}
