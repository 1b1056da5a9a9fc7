import type { Clock } from '../../platform/clock.ts'
import { type Random, randomToken, sha256 } from '../../platform/crypto.ts'
import { DomainError } from '../shared/errors.ts'
import type { SessionId, UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { plainName } from '../shared/text.ts'
import { APP_NAME_MAX, newAppPassword } from './app-passwords.ts'
import type { LoginFlow, LoginFlowStore } from './ports/app-passwords.ts'
import type { User } from './ports/users.ts'

/** How long an app and its user have (docs/protocol.md#D65). */
export const LOGIN_FLOW_SECONDS = 20 * 60
/** Flows under way, four megabytes in all. The second half is reserved for networks that have begun few. */
const FLOWS_MAX = 20_000
const SHARED_MAX = 10_000
const NAMELESS = 'Podcast app'

/** Gives an app its password by way of the browser. Flows are stored under hashes, so they survive a restart. */
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
     * Tokens for polling and for the address of the page. A flow that has begun is never dropped for another one. Throws `rate_limited`, and `unavailable` when too many are under way.
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

    /** Rejects with `not_found` for an unknown token, or one whose time is over. */
    async get(page: string): Promise<LoginFlow> {
      const flow = await store.find(sha256(page), clock.seconds())
      if (!flow) throw new DomainError('not_found', 'the request of the app is unknown or has expired')
      return flow
    },

    /** Lets the app in as the user of the session. Rejects with `not_found`, `quota_exceeded`, `unauthorized`. */
    grant: (page: string, session: SessionId, userId: UserId): Promise<void> =>
      store.grant(sha256(page), session, userId, clock.seconds()),

    /** The app password, once; undefined until access is granted. Throws `rate_limited` for unknown tokens only. */
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
