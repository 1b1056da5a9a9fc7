import { invalid } from '../../domain/shared/errors.ts'
import type { ServerRequest } from '../../domain/transfer/ports.ts'
import type { ImportSource, SourcedRecord } from '../../domain/transfer/records.ts'
import { devicesPath, readGpodder } from './gpodder.ts'
import { NEXTCLOUD_PATH, readNextcloud } from './nextcloud.ts'
import { isServerKind, placeOf, SERVER_KINDS, type ServerKind } from './places.ts'
import { parseServerAddress } from './server-address.ts'
import {
  createServerClient,
  NotServed,
  type ServerAccount,
  type ServerClient,
  type ServerClientParts,
} from './server-client.ts'

const APP_PASSWORD = 'Nextcloud with two-factor sign-in wants an app password, from Settings, Security'

const SERVER = 'server'

/** Describes an account on another server without connecting to it. Throws `validation_failed`. */
export function describeServer({ from, username, password, kind }: ServerRequest) {
  if (kind !== undefined && !isServerKind(kind))
    throw invalid('kind', `kind must be ${SERVER_KINDS.join(' or ')}, or be left out`)
  const name = username.trim()
  if (name.includes(':'))
    throw invalid('username', 'username must not contain a colon, which HTTP Basic cannot transmit')
  const account: ServerAccount = { base: parseServerAddress(from), username: name, password }
  return {
    account,
    host: new URL(account.base).host,
    requestedKind: kind,
    kind: kind === 'nextcloud' ? kind : SERVER,
    key: `server ${account.base} ${name}`,
    name: `${account.base} (${name})`,
  }
}

/** Makes a source of an account on another server. Does not connect yet. Throws `validation_failed`. */
export function createServerSource(parts: ServerClientParts, request: ServerRequest): ImportSource {
  const { account, requestedKind, name } = describeServer(request)
  return { name, records: (resumeFrom, signal) => readServer(parts, account, requestedKind, resumeFrom, signal) }
}

async function* readServer(
  parts: ServerClientParts,
  account: ServerAccount,
  requestedKind: ServerKind | undefined,
  resumeFrom: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SourcedRecord> {
  const client = createServerClient(parts, account, { signal, isResumed: resumeFrom !== undefined })
  const resumed = placeOf(resumeFrom)
  const place = requestedKind === undefined || resumed?.kind === requestedKind ? resumed : undefined
  try {
    const kind = requestedKind ?? place?.kind ?? (await findKind(client, account))
    yield* kind === 'gpodder' ? readGpodder(client, account.username, place) : readNextcloud(client, place)
  } catch (error) {
    throw error instanceof NotServed ? client.failure(error.message) : error
  }
}

async function findKind(client: ServerClient, { username, base }: ServerAccount): Promise<ServerKind> {
  const gpodder = await attempt(client, devicesPath(username))
  if (!gpodder) return 'gpodder'
  // Another guess with a wrong password could lock the account.
  if (gpodder.status === 401) throw gpodder
  const nextcloud = await attempt(client, `${NEXTCLOUD_PATH}/subscriptions`, 'add')
  if (!nextcloud) return 'nextcloud'
  if (nextcloud.status === 401) throw new NotServed(401, `${nextcloud.message}; ${APP_PASSWORD}`)
  if (isRedirect(gpodder)) throw gpodder
  throw client.failure(
    `there is neither a server with the gpodder.net API at ${base} (${gpodder.message}) nor Nextcloud with GPodder Sync (${nextcloud.message})`,
  )
}

function isRedirect({ status }: NotServed): boolean {
  return status >= 300 && status < 400
}

/** Returns why the list is unavailable; `undefined` if it is available. */
async function attempt(client: ServerClient, path: string, member?: string): Promise<NotServed | undefined> {
  // A late `since` keeps a list of changes short.
  const options = member === undefined ? {} : { member, query: { since: String(FAR_FUTURE) } }
  let isChanges = false
  try {
    for await (const { name } of client.items(path, options)) isChanges ||= name === 'timestamp' || name === 'remove'
  } catch (error) {
    if (error instanceof NotServed) return error
    throw error
  }
  return member === undefined || isChanges
    ? undefined
    : new NotServed(200, `${client.host} answers with something else`)
}

const FAR_FUTURE = 2 ** 31 - 1
