import type { Principal } from '../domain/accounts/authentication.ts'
import { isDeviceId } from '../domain/accounts/identifiers.ts'
import type { DomainError, ErrorCode } from '../domain/shared/errors.ts'
import type { UserId } from '../domain/shared/ids.ts'
import type { ActivityLog, NotedActivity } from '../domain/sync/activity/activity.ts'
import { NEXTCLOUD_DEVICE } from '../domain/sync/devices.ts'
import type { Chunks, EpisodeAction } from '../domain/sync/ports/episode-actions.ts'
import { splitSuffix } from '../formats/negotiate.ts'
import { isBrowserSession, userAgentOf } from './requests.ts'

export type Done = Omit<NotedActivity, 'reason'>

/** Records what an app did (docs/protocol.md#activity). For a signed-in browser, only changes are recorded. */
export function noteActivity(activity: ActivityLog, principal: Principal, done: Done): void {
  const isBrowser = isBrowserSession(principal)
  if (principal.leavesNoTrace || (isBrowser && done.kind.startsWith('fetched'))) return
  activity.note({ userId: principal.user.id, userAgent: principal.userAgent, isBrowser }, done)
}

export function sizesOf({ add, remove }: { readonly add: readonly unknown[]; readonly remove: readonly unknown[] }) {
  return { added: add.length, removed: remove.length }
}

export function noteSignedIn(activity: ActivityLog, request: Request, userId: UserId): void {
  const userAgent = userAgentOf(request)
  if (!userAgent.startsWith('Mozilla/')) activity.note({ userId, userAgent, isBrowser: false }, { kind: 'signed_in' })
}

/** Errors that reveal nothing about how an app syncs: apps probe for resources, and servers have faults. */
const NOT_NOTED: ReadonlySet<ErrorCode> = new Set(['not_found', 'method_not_allowed', 'internal'])

interface FailedRequest {
  readonly request: Request
  readonly route: string
  /** Null if a parameter cannot be decoded. */
  readonly params: Readonly<Record<string, string | null | undefined>> | undefined
}

/** Records a failed request of an app, for its principal or else for the account that it failed to sign in to. */
export function noteFailure(
  activity: ActivityLog,
  { request, route, params }: FailedRequest,
  failure: DomainError,
  principal: Principal | undefined,
): void {
  const userId = principal?.user.id ?? failure.userId
  if (userId === undefined || NOT_NOTED.has(failure.code)) return
  if (principal && isBrowserSession(principal)) return
  const userAgent = userAgentOf(request)
  // Without the right password, anyone may name any device.
  const device = principal && deviceOf(route, params)
  const isBrowser = !principal && userAgent.startsWith('Mozilla/')
  // The sign-in page asks for a code after this.
  if (isBrowser && failure.code === 'second_factor_required') return
  activity.note({ userId, userAgent, isBrowser }, { kind: 'refused', reason: failure.code, device })
}

function deviceOf(route: string, params: FailedRequest['params']): string | undefined {
  if (route.includes('/gpoddersync/')) return NEXTCLOUD_DEVICE
  const segment = params?.['device']
  if (segment === undefined || segment === null) return undefined
  const { name } = splitSuffix(segment)
  return isDeviceId(name) ? name : undefined
}

/** Actions on their way to a client, which are counted when they have all been read, or no more are wanted. */
export function countActions(chunks: Chunks<EpisodeAction>, note: (count: number) => void): Chunks<EpisodeAction> {
  if (!isWhole(chunks)) return counted(chunks, note)
  note(chunks.reduce((count, chunk) => count + chunk.length, 0))
  return chunks
}

export function isWhole<T>(chunks: Chunks<T>): chunks is readonly (readonly T[])[] {
  return Array.isArray(chunks)
}

async function* counted(
  chunks: AsyncIterable<readonly EpisodeAction[]>,
  note: (count: number) => void,
): AsyncGenerator<readonly EpisodeAction[]> {
  let count = 0
  try {
    for await (const chunk of chunks) {
      count += chunk.length
      yield chunk
    }
  } finally {
    note(count)
  }
}
