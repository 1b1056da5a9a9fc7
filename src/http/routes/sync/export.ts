import { formatTimestamp, timestampOrEmpty } from '../../../domain/shared/time.ts'
import { timeOf } from '../../../domain/sync/cursors.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ExportedAccount,
  type ExportedFeed,
} from '../../../domain/sync/export.ts'
import type { Device } from '../../../domain/sync/ports/devices.ts'
import type { StoredSettings } from '../../../domain/sync/ports/export.ts'
import { get, type Route } from '../../endpoint.ts'
import { streamText, TextResponse } from '../../responses/text-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/sync/export.ts'
import { toAppPasswordJson } from '../accounts/app-passwords.ts'
import { toChapterJson } from './chapters.ts'
import { actionJson } from './episode-actions.ts'

export const exportRoutes = ({ accountExport }: RouteParts): Route[] => [
  get('/api/2/me/export', 'user', spec.exportAccount, async ({ set, principal: { user } }) => {
    const account = await accountExport.read(user)
    const day = formatTimestamp(account.at).slice(0, 10)
    // User names hold nothing that would have to be quoted.
    set.headers['content-disposition'] = `attachment; filename="podstep-${user.username}-${day}.json"`
    return new TextResponse(streamText(exportText(account)), 'application/json')
  }),
]

/** Everything of an account as JSON, in pieces. */
function* exportText(account: ExportedAccount): Iterable<string> {
  yield `{"format":${json(ARCHIVE_FORMAT)},"version":${ARCHIVE_VERSION},"exported":${json(formatTimestamp(account.at))},\n"account":`
  yield accountJson(account)
  yield ',\n"devices":'
  yield* array([account.devices], (device) => deviceText(account, device))
  yield `,\n"sync_groups":${json(account.syncGroups)}`
  yield ',\n"settings":'
  yield* array(account.settings, (settings) => [settingsJson(settings)])
  yield ',\n"favorites":'
  yield* array(account.favorites, ({ target, at }) => [
    json({ ...partsOf('episode', target), added: timestampOrEmpty(timeOf(at, account.at)) }),
  ])
  yield ',\n"podcast_lists":'
  yield* array(account.lists, ({ name, title, urls }) => [json({ name, title, podcasts: urls })])
  yield ',\n"chapters":'
  yield* array(account.chapters, (chapter) => [
    json({ ...partsOf('episode', chapter.target), ...toChapterJson(chapter) }),
  ])
  yield ',\n"titles":'
  yield* array(account.titles, ({ podcast, title }) => [json({ podcast, title })])
  yield ',\n"episode_actions":'
  yield* array(account.actions, (action) => [actionJson(action)])
  yield '}\n'
}

/** A JSON array with an item on each line. An empty chunk is a pause for other work. */
function* array<T>(chunks: Iterable<readonly T[]>, toPieces: (item: T) => Iterable<string>): Iterable<string> {
  let before = '[\n'
  for (const chunk of chunks) {
    if (chunk.length === 0) yield ''
    for (const item of chunk) {
      yield before
      yield* toPieces(item)
      before = ',\n'
    }
  }
  yield before === ',\n' ? '\n]' : '[]'
}

function accountJson({ user, createdAt, identities, appPasswords, webhook }: ExportedAccount): string {
  return json({
    username: user.username,
    email: user.email ?? '',
    is_admin: user.isAdmin,
    created: formatTimestamp(createdAt),
    identities: identities.map(({ issuer, subject, createdAt: linkedAt }) => ({
      issuer,
      subject,
      linked: formatTimestamp(linkedAt),
    })),
    app_passwords: appPasswords.map((appPassword) => {
      const { id: _id, ...rest } = toAppPasswordJson(appPassword)
      return rest
    }),
    ...(webhook && { webhook: { site: webhook.origin, format: webhook.format, events: webhook.events } }),
  })
}

function* deviceText(account: ExportedAccount, { uid, caption, type, lastSeenAt }: Device): Iterable<string> {
  const head = json({ id: uid, caption, type, last_contact: timestampOrEmpty(lastSeenAt) })
  yield `${head.slice(0, -1)},"subscriptions":`
  yield* array(account.feedsOf(uid, true), (feed) => [feedJson(feed, 'added')])
  yield ',"unsubscribed":'
  yield* array(account.feedsOf(uid, false), (feed) => [feedJson(feed, 'removed')])
  yield ',"replaced_addresses":'
  yield* array(account.replacedAddressesOf(uid), (url) => [json(url)])
  yield '}'
}

function feedJson({ url, at }: ExportedFeed, when: 'added' | 'removed'): string {
  return json({ url, [when]: timestampOrEmpty(at) })
}

/** The values as the text they are stored as: reading them would change some numbers. */
function settingsJson({ scope, target, value }: StoredSettings): string {
  return `${json({ scope, ...partsOf(scope, target) }).slice(0, -1)},"settings":${value}}`
}

function partsOf(scope: StoredSettings['scope'], target: string): Record<string, string> {
  if (scope === 'account') return {}
  if (scope !== 'episode') return { [scope]: target }
  const [podcast = '', episode = ''] = target.split(' ', 2)
  return { podcast, episode }
}

function json(value: unknown): string {
  return JSON.stringify(value)
}
