import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createPictureSource } from './artwork/picture-source.ts'
import { createThumbnailCache } from './artwork/thumbnail-cache.ts'
import type { LoadedConfig } from './config/load.ts'
import { type Config, isSecret } from './config/options.ts'
import { readCertificate, servedCertificate } from './doctor/certificates.ts'
import { localChecks } from './doctor/local-checks.ts'
import { type NetworkParts, networkChecks } from './doctor/network-checks.ts'
import { withWays } from './doctor/ways.ts'
import type { IdentityProvider } from './domain/accounts/single-sign-on.ts'
import type { Pictures } from './domain/directory/artwork.ts'
import type { PodcastDirectory } from './domain/directory/external.ts'
import type { ChapterSource } from './domain/feeds/chapters.ts'
import type { FeedSource } from './domain/feeds/ports.ts'
import type { TranscriptSource } from './domain/feeds/transcripts.ts'
import type { WebhookSender } from './domain/outlets/webhooks.ts'
import type { Check, PostgresFacts, RunningServer } from './domain/server/doctor.ts'
import { outboundOff } from './domain/shared/errors.ts'
import { createRateLimit } from './domain/shared/rate-limit.ts'
import type { ImportFiles, ImportSources } from './domain/transfer/ports.ts'
import { createSmtpMailer } from './mail/smtp.ts'
import { allowedPlace, systemResolve } from './outbound/address-rules.ts'
import { APPLE_REQUESTS_PER_MINUTE, createAppleDirectory } from './outbound/apple-directory.ts'
import { askAddress } from './outbound/ask-address.ts'
import { createChapterSource } from './outbound/chapter-source.ts'
import { createGuardedFetch, userAgentOf } from './outbound/guarded-fetch.ts'
import { createPodcastIndex } from './outbound/podcast-index.ts'
import { createWebhookSender } from './outbound/webhook-sender.ts'
import { type Clock, systemTimer } from './platform/clock.ts'
import type { Log } from './platform/log.ts'
import { createLru } from './platform/lru.ts'
import { READ_IMPORTS, startChild } from './processes/start-process.ts'
import type { Base } from './services/base.ts'
import { createOpenIdProvider } from './sso/openid-connect.ts'
import type { Connections } from './store/postgres/connections.ts'
import { connectForFacts, readFacts } from './store/postgres/health.ts'
import { createQuickCheck } from './store/sqlite/core/database-state.ts'
import { createImportFiles } from './transfer/import-files.ts'
import { createImportSources } from './transfer/sources.ts'
import { createFeedWorkerClient, startWorker, tryWorker } from './worker/client.ts'

/* Adapters of external services, configured by the settings, and the threads of the store. */

export function mailerOf({
  smtpHost,
  smtpFrom,
  baseUrl,
  ...config
}: Config): ReturnType<typeof createSmtpMailer> | undefined {
  if (smtpHost === undefined || smtpFrom === undefined || baseUrl === undefined) return undefined
  return createSmtpMailer({
    host: smtpHost,
    port: config.smtpPort,
    security: config.smtpSecurity,
    user: config.smtpUser,
    password: config.smtpPassword,
    from: smtpFrom,
    baseUrl: baseUrl.href,
  })
}

/** Fetcher for URLs entered by users. The setting `allowedBy` says which private networks it may reach. */
function fetcherOf(config: Config, version: string, allowedBy: 'feed_allow_private' | 'webhook_allow_private') {
  const { feedAllowPrivate, webhookAllowPrivate } = config
  const places = {
    feed_allow_private: feedAllowPrivate,
    webhook_allow_private: webhookAllowPrivate,
  }
  return createGuardedFetch({
    userAgent: userAgentOf(version),
    resolve: systemResolve,
    allowed: places[allowedBy].map(allowedPlace),
    allowedBy,
    isOff: config.outbound === 'off',
  })
}

/** Feeds are fetched and parsed by the feed worker (worker/main.ts), which never starts if `outbound` is off. */
export function feedSourcesOf(config: Config, version: string): ReturnType<typeof createFeedWorkerClient> {
  if (config.outbound === 'off') return NO_FEEDS
  return createFeedWorkerClient(startWorker, {
    version,
    feedAllowPrivate: config.feedAllowPrivate,
    feedTimeoutSeconds: config.feedTimeoutSeconds,
    feedMaxBytes: config.feedMaxBytes,
    feedMaxEpisodes: config.feedMaxEpisodes,
  })
}

const noTranscript: TranscriptSource = async () => ({ kind: 'failed', reason: 'off' })
const noFeed: FeedSource = { ask: () => Promise.reject(outboundOff()), close: () => undefined }
const NO_FEEDS = {
  ...{ scheduled: noFeed, authenticated: noFeed, anonymous: noFeed },
  transcripts: noTranscript,
  counts: () => ({ starts: 0, failures: 0 }),
}

export function chapterSourceOf(config: Config, version: string): ChapterSource {
  return createChapterSource(fetcherOf(config, version, 'feed_allow_private'))
}

const THUMBNAILS_BYTES_MAX = 200 * 1024 * 1024

export function picturesOf(
  config: Config,
  { version, clock, log }: { readonly version: string; readonly clock: Clock; readonly log: Log },
): Pictures {
  return {
    source: createPictureSource(fetcherOf(config, version, 'feed_allow_private')),
    cache: createThumbnailCache({
      folder: join(config.dataDir, 'artwork'),
      maxBytes: THUMBNAILS_BYTES_MAX,
      clock,
      onFailure: (error) => log.warn('the folder of pictures cannot be used; they are made again each time', { error }),
    }),
  }
}

const PODCAST_INDEX = 'https://api.podcastindex.org/api/1.0'
const APPLE = 'https://itunes.apple.com'

export function directoryOf(config: Config, version: string, clock: Clock): PodcastDirectory | undefined {
  const { directory, directoryKey: key, directorySecret: secret, directoryUrl } = config
  if (config.outbound === 'off' || directory === 'none') return undefined
  const fetcher = createGuardedFetch({
    userAgent: userAgentOf(version),
    resolve: systemResolve,
    allowed: [() => true],
  })
  if (directory === 'apple') {
    const perMinute = { max: APPLE_REQUESTS_PER_MINUTE, windowMs: 60_000 }
    const requests = createRateLimit(perMinute, createLru(1, clock), clock)
    return createAppleDirectory({ fetcher, baseUrl: directoryUrl ?? APPLE, requests })
  }
  if (key === undefined || secret === undefined) return undefined
  return createPodcastIndex({ fetcher, baseUrl: directoryUrl ?? PODCAST_INDEX, key, secret, clock })
}

export function webhookSenderOf(config: Config, version: string): WebhookSender {
  const fetcher = fetcherOf(config, version, 'webhook_allow_private')
  return createWebhookSender({ fetcher, base: config.baseUrl?.href })
}

export function providerOf(
  { oidcIssuer, oidcClientId, baseUrl, ...config }: Config,
  clock: Clock,
): IdentityProvider | undefined {
  if (oidcIssuer === undefined || oidcClientId === undefined || baseUrl === undefined) return undefined
  return createOpenIdProvider(
    {
      issuer: oidcIssuer,
      clientId: oidcClientId,
      clientSecret: config.oidcClientSecret,
      name: config.oidcName,
      scopes: config.oidcScopes,
      redirectUri: `${baseUrl.href}/auth/sso/callback`,
      groupsClaim: config.oidcAdminGroup === undefined ? undefined : config.oidcGroupsClaim,
    },
    clock,
  )
}

const THREAD_FILES = 8

/** Throws if the thread could not open its files; otherwise the runtime would terminate the process. */
function startThread(file: URL): Worker {
  const opened: number[] = []
  try {
    while (opened.length < THREAD_FILES) opened.push(openSync('.', 'r'))
  } finally {
    for (const each of opened) closeSync(each)
  }
  return new Worker(file.href, { smol: true })
}

export function startCheckpointWorker(): Worker {
  return startThread(new URL('./store/sqlite/core/checkpoint-worker.ts', import.meta.url))
}

export function startBackupWorker(): Worker {
  return startThread(new URL('./store/sqlite/server/backup-worker.ts', import.meta.url))
}

/** Sources of imports, and the folder of files waiting to be imported. */
export function importsOf(
  config: Config,
  { version, random, startReader }: Pick<Base, 'version' | 'random' | 'startReader'>,
): { sources: ImportSources; files: ImportFiles } {
  const { dataDir, importAllowPrivate } = config
  return {
    sources: createImportSources({
      ...{ version, importAllowPrivate, timer: systemTimer },
      startReader: startReader ?? startChild(READ_IMPORTS),
    }),
    files: createImportFiles(join(dataDir, 'imports'), random),
  }
}

export function startCheckWorker(): Worker {
  return startThread(new URL('./store/sqlite/core/check-worker.ts', import.meta.url))
}

export function quickCheckOf({ dataDir }: Pick<Config, 'dataDir'>): () => Promise<readonly string[]> {
  return createQuickCheck(join(dataDir, 'podstep.db'), startCheckWorker)
}

/** Facts about PostgreSQL, over the connections of the server if it runs in this process; undefined on SQLite. */
export function postgresFactsOf(
  { database }: Pick<Config, 'database'>,
  {
    clock,
    version,
    connections,
  }: { readonly clock: Clock; readonly version: string; readonly connections?: Connections | undefined },
): DoctorParts['postgres'] {
  if (!database) return undefined
  return () =>
    connections ? readFacts(connections, clock) : connectForFacts(database, { version, clock, timer: systemTimer })
}

export interface DoctorParts extends Pick<NetworkParts, 'clock' | 'askHere' | 'arrivals'> {
  readonly running?: RunningServer
  readonly version: string
  readonly settings: Omit<LoadedConfig, 'config'>
  readonly hash: () => Promise<unknown>
  readonly quickCheck: () => Promise<readonly string[]>
  readonly databaseMs: number
  readonly postgres: (() => Promise<PostgresFacts>) | undefined
}

export function doctorChecksOf(config: Config, { settings, version, ...parts }: DoctorParts): readonly Check[] {
  const { warnings, origins, file } = settings
  const { clock } = parts
  const { tlsCert, tlsKey } = config
  const hasSecrets = [...origins].some(([key, { from }]) => isSecret(key) && from === 'file')
  const database = join(config.dataDir, 'podstep.db')
  const checks = [
    ...localChecks({
      ...{ ...parts, config, warnings },
      file: file === undefined ? undefined : { path: resolve(file), hasSecrets },
      tryFeedWorker: (signal) => tryWorker(startWorker, signal),
    }),
    ...networkChecks({
      ...{ ...parts, config, askAddress, servedCertificate },
      ownCertificate: () =>
        tlsCert !== undefined && tlsKey !== undefined
          ? readCertificate({ tlsCert, tlsKey }, clock.seconds()).validUntil
          : undefined,
      // Also false if the folder may not be entered, which another check reports.
      databaseTime: () => (!config.database && existsSync(database) ? statSync(database).mtimeMs / 1000 : undefined),
      mailer: mailerOf(config),
      provider: providerOf(config, clock),
      directory: directoryOf(config, version, clock),
    }),
  ]
  return checks.map((check) => withWays(check, config))
}
