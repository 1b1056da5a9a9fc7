import { call } from '../api/client.ts'
import { loadSubscribedDevices } from './subscriptions.ts'

/** Feed that is available at another URL: over HTTPS, or after a permanent move. */
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

/** Applies upgrades one after the other. A failure does not stop the rest; rejects with the last one. */
export async function applyUpgrades(list: readonly Upgrade[]): Promise<void> {
  let failure: unknown
  for (const { kind, from, to } of list)
    try {
      if (kind === 'https') await call('applyUpgrade', { body: { http_url: from, https_url: to } })
      else await call('applyMove', { body: { url: from, new_url: to } })
    } catch (error) {
      failure = error
    }
  // Pages that need the list reload it if this fails.
  void loadSubscribedDevices().catch(() => undefined)
  if (failure !== undefined) throw failure
}
