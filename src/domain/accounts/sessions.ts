import type { Clock } from '../../platform/clock.ts'
import { type Random, randomToken, sha256 } from '../../platform/crypto.ts'
import type { AppPasswordId, SessionId, UserId } from '../shared/ids.ts'
import { plainName } from '../shared/text.ts'
import type { ListedSession, Session, SessionStore } from './ports/sessions.ts'

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR
const PER_USER_MAX = 100

export interface NewSession {
  readonly id: SessionId
  readonly token: string
}

export interface ResumedSession {
  readonly session: Session
  readonly extended: boolean
}

export interface SessionBeginning {
  readonly userAgent?: string
  readonly verifiedHash?: string | undefined
  readonly appPassword?: AppPasswordId | undefined
  readonly secondFactor?: boolean | undefined
}

/** Seconds after which a use is recorded. The first one is recorded early, since unused sessions are dropped first. */
function noteAfter({ createdAt, usedAt }: Session): number {
  return usedAt === createdAt ? MINUTE : HOUR
}

export type Sessions = ReturnType<typeof createSessions>

/** Sliding sessions (docs/protocol.md#D28): a use in the second half of the lifetime extends them. */
export function createSessions(store: SessionStore, clock: Clock, random: Random, days: number) {
  const lifetimeSeconds = days * DAY

  return {
    lifetimeSeconds,

    /** Returns the session of a cookie if it is still valid. If `isUse` is false, it is not extended. */
    async resume(token: string, isUse = true): Promise<ResumedSession | undefined> {
      const session = await store.find(sha256(token))
      const now = clock.seconds()
      if (!session || session.expiresAt <= now || session.user.state !== 'active') return undefined
      const extended = isUse && session.expiresAt - now < lifetimeSeconds / 2
      if (extended || (isUse && now - session.usedAt > noteAfter(session))) {
        const expiresAt = extended ? now + lifetimeSeconds : session.expiresAt
        // The response does not wait for this write, and the write queue logs failures.
        store.touch(session.id, { usedAt: now, expiresAt }).catch(() => undefined)
      }
      return { session, extended }
    },

    /** Rejects with `unauthorized`, `invalid_credentials`, `second_factor_required`. */
    async start(userId: UserId, { userAgent = '', ...proof }: SessionBeginning = {}): Promise<NewSession> {
      const token = randomToken(random)
      const at = clock.seconds()
      const session = { at, expiresAt: at + lifetimeSeconds, client: clientLabel(userAgent) }
      const id = await store.create(userId, sha256(token), session, PER_USER_MAX, proof)
      return { id, token }
    },

    end: async (id: SessionId): Promise<void> => void (await store.remove(id)),
    list: (userId: UserId): Promise<ListedSession[]> => store.list(userId, clock.seconds()),
    /** Rejects with `not_found` unless the session is the user's own. */
    revoke: (userId: UserId, id: SessionId): Promise<void> => store.removeOwn(userId, id),
    revokeOthers: (userId: UserId, keep: SessionId | undefined): Promise<void> => store.removeOthers(userId, keep),
  }
}

const LABEL_MAX = 60
/** Characters read of a User-Agent, whose beginning identifies the client. */
const READ_MAX = 500

/** The order matters, since most browsers also name others. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(?:intosh| OS X)\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Default names of HTTP libraries, in lower case. They do not identify the app. */
const LIBRARIES: ReadonlySet<string> = new Set([
  ...['apache-httpclient', 'axios', 'bun', 'dalvik', 'dart', 'deno', 'go-http-client', 'got', 'guzzlehttp', 'java'],
  ...['java-http-client', 'ktor-client', 'libwww-perl', 'node', 'node-fetch', 'okhttp', 'python', 'python-httpx'],
  ...['python-requests', 'python-urllib', 'reqwest', 'ruby', 'undici', 'urllib3'],
])

/** Returns a short name without version for a User-Agent, such as `Firefox on Android`; undefined if unknown. */
export function clientLabel(userAgent: string): string | undefined {
  const text = userAgent.slice(0, READ_MAX)
  const browser = text.startsWith('Mozilla/') ? nameIn(BROWSERS, text) : undefined
  return browser === undefined ? appIn(text) : [browser, nameIn(SYSTEMS, text)].filter(Boolean).join(' on ')
}

function nameIn(names: typeof BROWSERS, text: string): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1]
}

function appIn(text: string): string | undefined {
  const product = /^[^/(]*/.exec(text)?.[0] ?? ''
  const name = Array.from(plainName(product)).slice(0, LABEL_MAX).join('').trim()
  return name === '' || LIBRARIES.has(name.toLowerCase()) ? undefined : name
}
