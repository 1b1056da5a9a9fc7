import { expect, test } from 'bun:test'
import type { AuditContext } from '../../../src/domain/accounts/ports/audit-log.ts'
import type { SessionProof } from '../../../src/domain/accounts/ports/sessions.ts'
import type { NewUser, User } from '../../../src/domain/accounts/ports/users.ts'
import type { FeedEpisode, FingerprintedEpisode } from '../../../src/domain/feeds/document.ts'
import type { ErrorCode } from '../../../src/domain/shared/errors.ts'
import type { SessionId, UserId } from '../../../src/domain/shared/ids.ts'
import type { ActionQuery, EpisodeAction } from '../../../src/domain/sync/ports/episode-actions.ts'
import type { Store } from '../../../src/store/stores.ts'
import type { FeedDocument } from '../../support/feed-document.ts'

/** Opens a new, empty store. */
export type OpenStore = () => Store

/** 2025-03-02T10:00:00Z */
export const T = 1_740_909_600

export const A = 'https://a.example/f'
export const B = 'https://b.example/f'
export const C = 'https://c.example/f'

/** The actor in the audit log. */
export const BY_COMMAND_LINE: AuditContext = { actor: { name: undefined, via: 'command_line' }, at: T }

/** Expects a promise to reject with this code. */
export async function expectRefused(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  await expect(promise).rejects.toMatchObject({ name: 'DomainError', code })
}

export function newUser(username: string, email?: string): NewUser {
  return { username, email, passwordHash: `hash of ${username}`, at: T }
}

/** Creates an active account without administrator rights, even if it is the first. */
export async function addUser(store: Store, username = 'ida'): Promise<UserId> {
  return (await addAccount(store, username)).id
}

/** Opens a store with the users ida and ole. */
export async function withTwo(open: OpenStore): Promise<{ store: Store; ida: UserId; ole: UserId }> {
  const store = open()
  return { store, ida: await addUser(store, 'ida'), ole: await addUser(store, 'ole') }
}

/** Declares tests on a new store with the users ida and ole. */
export function withUsers(open: OpenStore) {
  return (title: string, body: (world: Awaited<ReturnType<typeof withTwo>>) => Promise<void>) =>
    test(title, async () => body(await withTwo(open)))
}

/** Opens a store with an administrator. */
export async function withAdmin(open: OpenStore): Promise<Store> {
  const store = open()
  await addAccount(store, 'admin', true)
  return store
}

export function addAccount(store: Store, username: string, isAdmin = false): Promise<User> {
  return store.users.create(newUser(username), isAdmin, BY_COMMAND_LINE)
}

export async function addDevices(store: Store, userId: UserId, ...uids: string[]): Promise<void> {
  for (const uid of uids) await store.devices.upsert(userId, uid, {}, T)
}

interface Change {
  readonly add?: string[]
  readonly remove?: string[]
  readonly at?: number
}

/** Uploads a change at `at` by a client without a cursor; returns the logical clock. */
export async function upload(
  store: Store,
  userId: UserId,
  uid: string,
  { add = [], remove = [], at = T }: Change,
): Promise<number> {
  const written = await store.subscriptions.applyUpload(userId, uid, { add, remove }, { at, seenUntil: undefined })
  return written.clock
}

/** Uploads a change and runs the indexer. */
export async function change(store: Store, userId: UserId, uid: string, changed: Change): Promise<number> {
  const clock = await upload(store, userId, uid, changed)
  await index(store)
  return clock
}

/** Waits for a deferred write, which starts at once because the queue is to become idle. */
export async function written<T>(store: Store, work: Promise<T>): Promise<T> {
  const [result] = await Promise.all([work, store.idle()])
  return result
}

/** Runs the indexer until nothing is pending. */
export async function index(store: Store): Promise<void> {
  while (await store.indexStore.hasPending()) await written(store, store.indexStore.indexBatch(100))
}

export function action(fields: Partial<EpisodeAction> = {}): EpisodeAction {
  return { podcast: A, episode: 'https://cdn.example/1.mp3', kind: 'download', at: T, ...fields }
}

/** Uploads actions at `at`; returns the logical clock. */
export async function report(
  store: Store,
  userId: UserId,
  actions: readonly EpisodeAction[],
  at: number = T,
): Promise<number> {
  return (await store.episodeActions.applyUpload(userId, actions, { at, seenUntil: undefined })).clock
}

/** Returns the whole answer of a query in one array. */
export async function listActions(
  store: Store,
  userId: UserId,
  query: Partial<ActionQuery> = {},
): Promise<EpisodeAction[]> {
  const { chunks } = await store.episodeActions.list(userId, { since: 0, aggregated: false, ...query })
  return (await Array.fromAsync(chunks)).flat()
}

/** Starts a session with token number `n`. */
export function startSession(store: Store, userId: UserId, n: number, proof: SessionProof = {}): Promise<SessionId> {
  return store.sessions.create(userId, tokenHash(n), { at: T, expiresAt: T + 1000 }, 100, proof)
}

/** Returns those of the sessions `ns` that exist. */
export async function liveSessions(store: Store, ...ns: number[]): Promise<number[]> {
  const found = await Promise.all(ns.map((n) => store.sessions.find(tokenHash(n))))
  return ns.filter((_, index) => found[index] !== undefined)
}

/** 32 bytes that stand for the hash of token number `n`. */
export function tokenHash(n: number): Uint8Array {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(0, n)
  return bytes
}

export function feedEpisode(fields: Partial<FeedEpisode> = {}): FeedEpisode {
  return {
    url: 'https://cdn.example/1.mp3',
    title: 'Fog',
    description: '<p>Boats &amp; birds</p>',
    website: '',
    released: T,
    guid: '1',
    duration: 3600,
    size: 4096,
    mimeType: 'audio/mpeg',
    imageUrl: '',
    chaptersUrl: '',
    transcriptUrl: '',
    transcriptType: '',
    season: undefined,
    number: undefined,
    isExplicit: false,
    chapters: '',
    ...fields,
  }
}

/** An episode as the parser returns it, but with a readable fingerprint. */
export function fingerprinted(episode: FeedEpisode): FingerprintedEpisode {
  return { ...episode, fingerprint: JSON.stringify(episode), inPlaceOf: undefined }
}

export function feedDocument(fields: Partial<FeedDocument> = {}): FeedDocument {
  return {
    title: 'Harbour Talk',
    author: 'Tidewater',
    description: '<p>Boats &amp; birds</p>',
    website: 'https://tidewater.example/',
    logoUrl: 'https://tidewater.example/logo.png',
    language: 'en',
    tags: ['Sea'],
    guid: '',
    isBlocked: false,
    isLocked: false,
    newFeedUrl: '',
    selfUrl: '',
    fundingUrl: '',
    ttlSeconds: undefined,
    episodes: [feedEpisode()],
    blockedEpisodes: [],
    blockedGuids: [],
    ...fields,
  }
}
