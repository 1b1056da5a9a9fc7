import type { Clock } from '../../platform/clock.ts'
import { type Random, randomToken, sha256 } from '../../platform/crypto.ts'
import { DomainError } from '../shared/errors.ts'
import type { SessionId, UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { plainName } from '../shared/text.ts'
import { APP_NAME_MAX, newAppPassword } from './app-passwords.ts'
import type { LoginFlow, LoginFlowStore } from './ports/app-passwords.ts'
import type { User } from './ports/users.ts'

/** Lifetime of a flow (docs/protocol.md#login-flow). */
export const LOGIN_FLOW_SECONDS = 20 * 60
/** Limit on active flows, about 4 MB in all. The second half is reserved for networks that have started few. */
const FLOWS_MAX = 20_000
const SHARED_MAX = 10_000
const NAMELESS = 'Podcast app'

/** Lets an app get an app password through the browser. Flows are stored by hash and survive a restart. */
export function createLoginFlows(parts: {
  readonly store: LoginFlowStore
  readonly clock: Clock
  readonly random: Random
  readonly beginnings: RateLimit
  readonly reserved: RateLimit
  readonly guesses: RateLimit
}) {
  const { store, clock, random, beginnings, reserved, guesses } = parts
  return {
    /**
     * Returns tokens for polling and for the URL of the page. Active flows are never dropped for new ones. Throws
     * `rate_limited`, and `unavailable` if too many flows are active.
     */
    async begin(
      userAgent: string,
      from: { address: string; network: string },
    ): Promise<{ poll: string; page: string }> {
      beginnings.take(from.address)
      const max = reserved.tryTake(from.network) ? FLOWS_MAX : SHARED_MAX
      const flow = { poll: randomToken(random), page: randomToken(random) }
      const at = clock.seconds()
      const expiresAt = at + LOGIN_FLOW_SECONDS
      const hashes = { pollHash: sha256(flow.poll), pageHash: sha256(flow.page) }
      await store.begin({ ...hashes, userAgent: nameOf(userAgent), expiresAt }, max, at)
      return flow
    },

    /** Rejects with `not_found` for an unknown or expired token. */
    async get(page: string): Promise<LoginFlow> {
      const flow = await store.find(sha256(page), clock.seconds())
      if (!flow) throw new DomainError('not_found', 'the request of the app is unknown or has expired')
      return flow
    },

    /** Grants the app access as the user of the session. Rejects with `not_found`, `quota_exceeded`, `unauthorized`. */
    grant: (page: string, session: SessionId, userId: UserId): Promise<void> =>
      store.grant(sha256(page), session, userId, clock.seconds()),

    /** Returns the app password once; undefined until access is granted. Throws `rate_limited` for unknown tokens. */
    async collect(
      poll: string,
      address: string,
    ): Promise<{ readonly user: User; readonly password: string } | undefined> {
      const at = clock.seconds()
      const pollHash = sha256(poll)
      const flow = await store.findByPoll(pollHash, at)
      if (!flow) guesses.take(address)
      if (!flow?.isGranted) return undefined
      const { password, hash } = newAppPassword(random)
      const user = await store.collect(pollHash, hash, at)
      return user && { user, password }
    },
  }
}

function nameOf(userAgent: string): string {
  return Array.from(plainName(userAgent)).slice(0, APP_NAME_MAX).join('').trim() || NAMELESS
}
