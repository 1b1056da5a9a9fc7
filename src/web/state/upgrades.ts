import { signal } from '@preact/signals'
import { type Answer, call } from '../api/client.ts'
import { loadOwnPodcasts } from './subscriptions.ts'

export type Upgrade = Answer<'listUpgrades'>[number]

/** What became of an upgrade that was asked for. */
export type Outcome =
  | { readonly state: 'waiting' }
  | { readonly state: 'done'; readonly devices: readonly string[] }
  | { readonly state: 'failed'; readonly error: unknown }

/** By http URL. Kept while the person looks at other pages. */
export const outcomes = signal<ReadonlyMap<string, Outcome>>(new Map())

/** Those that are being worked through together. */
export const batch = signal<{ readonly done: number; readonly total: number } | undefined>(undefined)

/** Applies upgrades one after the other; what fails does not stop the others. Returns how many succeeded. */
export async function applyUpgrades(list: readonly Upgrade[]): Promise<number> {
  const isBatch = list.length > 1
  for (const { http_url } of list) note(http_url, { state: 'waiting' })
  let succeeded = 0
  for (const [index, upgrade] of list.entries()) {
    if (isBatch) batch.value = { done: index, total: list.length }
    const outcome = await apply(upgrade)
    if (outcome.state === 'done') succeeded++
    note(upgrade.http_url, outcome)
  }
  if (isBatch) batch.value = undefined
  // The other pages find out by themselves if this fails.
  void loadOwnPodcasts().catch(() => undefined)
  return succeeded
}

async function apply({ http_url, https_url }: Upgrade): Promise<Outcome> {
  try {
    const { devices } = await call('applyUpgrade', { body: { http_url, https_url } })
    return { state: 'done', devices }
  } catch (error) {
    return { state: 'failed', error }
  }
}

/** Forgets what is settled, when the list is fetched anew. */
export function forgetOutcomes(): void {
  outcomes.value = new Map([...outcomes.value].filter(([, { state }]) => state === 'waiting'))
}

function note(url: string, outcome: Outcome): void {
  outcomes.value = new Map([...outcomes.value, [url, outcome]])
}
