import { signal } from '@preact/signals'
import { call } from '../api/client.ts'
import { loadHolders } from './subscriptions.ts'

/** A feed that is available at another address: by HTTPS, or because it has moved permanently. */
export interface Upgrade {
  readonly kind: 'https' | 'move'
  readonly from: string
  readonly to: string
  readonly title: string
}

export async function fetchUpgrades(signal: AbortSignal): Promise<readonly Upgrade[]> {
  const [byHttps, moved] = await Promise.all([call('listUpgrades', { signal }), call('listMoves', { signal })])
  return [
    ...byHttps.map(
      ({ http_url, https_url, title }) => ({ kind: 'https', from: http_url, to: https_url, title }) as const,
    ),
    ...moved.map(({ url, new_url, title }) => ({ kind: 'move', from: url, to: new_url, title }) as const),
  ]
}

/** How far an upgrade is that the user has started. */
export type Outcome =
  | { readonly state: 'waiting' }
  | { readonly state: 'done'; readonly devices: readonly string[] }
  | { readonly state: 'failed'; readonly error: unknown }

/** Outcomes by the old URL. They are kept while the user looks at other pages. */
export const outcomes = signal<ReadonlyMap<string, Outcome>>(new Map())

/** The progress of several upgrades that were started together. */
export const batch = signal<{ readonly done: number; readonly total: number } | undefined>(undefined)

/** Applies upgrades one after the other; a failure does not stop the rest. Returns how many succeeded. */
export async function applyUpgrades(list: readonly Upgrade[]): Promise<number> {
  const isBatch = list.length > 1
  for (const { from } of list) setOutcome(from, { state: 'waiting' })
  let succeeded = 0
  for (const [index, upgrade] of list.entries()) {
    if (isBatch) batch.value = { done: index, total: list.length }
    const outcome = await apply(upgrade)
    if (outcome.state === 'done') succeeded++
    setOutcome(upgrade.from, outcome)
  }
  if (isBatch) batch.value = undefined
  // The upgrades have their results by now. Pages that need the list load it again if this fails.
  void loadHolders().catch(() => undefined)
  return succeeded
}

async function apply({ kind, from, to }: Upgrade): Promise<Outcome> {
  try {
    const { devices } =
      kind === 'https'
        ? await call('applyUpgrade', { body: { http_url: from, https_url: to } })
        : await call('applyMove', { body: { url: from, new_url: to } })
    return { state: 'done', devices }
  } catch (error) {
    return { state: 'failed', error }
  }
}

/** Forgets finished upgrades, for when the list is loaded again. */
export function forgetOutcomes(): void {
  outcomes.value = new Map([...outcomes.value].filter(([, { state }]) => state === 'waiting'))
}

function setOutcome(url: string, outcome: Outcome): void {
  outcomes.value = new Map([...outcomes.value, [url, outcome]])
}

/** The upgrades that there are, and in their places those that were started here, so that what became of them stays to be seen. */
export function withStarted(now: readonly Upgrade[], before: readonly Upgrade[]): readonly Upgrade[] {
  const open = new Set(now.map(({ from }) => from))
  const known = new Set(before.map(({ from }) => from))
  return [
    ...before.filter(({ from }) => open.has(from) || outcomes.value.has(from)),
    ...now.filter(({ from }) => !known.has(from)),
  ]
}

/** How many podcasts some device has, and how many of them come unencrypted. */
export function countPlain(holders: ReadonlyMap<string, ReadonlySet<string>>) {
  const urls = [...holders].flatMap(([url, { size }]) => (size > 0 ? [url] : []))
  return { all: urls.length, plain: urls.filter((url) => url.startsWith('http:')).length }
}
