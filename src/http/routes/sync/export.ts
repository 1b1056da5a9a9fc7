import { formatTimestamp, timestampOrEmpty } from '../../../domain/shared/time.ts'
import { timeOf } from '../../../domain/sync/cursors.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ExportedAccount,
  type ExportedFeed,
} from '../../../domain/sync/export.ts'
import type { StoredSettings } from '../../../domain/sync/ports/export.ts'
import { get, type Route } from '../../endpoint.ts'
import { arrayText, streamResponse } from '../../responses/text-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/sync/export.ts'
import { toAppPasswordJson } from '../accounts/app-passwords.ts'
import { toChapterJson } from './chapters.ts'
import { actionJson } from './episode-actions.ts'

export const exportRoutes = ({ accountExport }: RouteParts): Route[] => [
  get('/api/2/me/export', 'user', spec.exportAccount, async ({ set, principal: { user } }) => {
    const account = await accountExport.read(user)
    const day = formatTimestamp(account.at).slice(0, 10)
    // User names need no quoting.
    set.headers['content-disposition'] = `attachment; filename="podstep-${user.username}-${day}.json"`
    return streamResponse(exportText(account), 'application/json')
  }),
]

async function* exportText(account: ExportedAccount): AsyncGenerator<string> {
  yield `{"format":${json(ARCHIVE_FORMAT)},"version":${ARCHIVE_VERSION},"exported":${json(formatTimestamp(account.at))},\n"account":`
  yield accountJson(account)
  yield ',\n"devices":'
  yield* devicesText(account)
  yield `,\n"sync_groups":${json(account.syncGroups)}`
  yield ',\n"settings":'
  yield* arrayText(account.settings, settingsJson)
  yield ',\n"favorites":'
  yield* arrayText(account.favorites, ({ target, at }) =>
    json({ ...partsOf('episode', target), added: timestampOrEmpty(timeOf(at, account.at)) }),
  )
  yield `,\n"folders":${json(account.folders)}`
  yield `,\n"queue":${json(account.queue)}`
  yield ',\n"podcast_lists":'
  yield* arrayText(account.lists, ({ name, title, urls }) => json({ name, title, podcasts: urls }))
  yield ',\n"chapters":'
  yield* arrayText(account.chapters, (chapter) =>
    json({ ...partsOf('episode', chapter.target), ...toChapterJson(chapter) }),
  )
  yield ',\n"titles":'
  yield* arrayText(account.titles, ({ podcast, title }) => json({ podcast, title }))
  yield ',\n"episode_actions":'
  yield* arrayText(account.actions, actionJson)
  yield '}\n'
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

async function* devicesText(account: ExportedAccount): AsyncGenerator<string> {
  let before = '[\n'
  for (const { uid, caption, type, lastSeenAt } of account.devices) {
    const head = json({ id: uid, caption, type, last_contact: timestampOrEmpty(lastSeenAt) })
    yield `${before}${head.slice(0, -1)},"subscriptions":`
    yield* arrayText(account.feedsOf(uid, true), (feed) => feedJson(feed, 'added'))
    yield ',"unsubscribed":'
    yield* arrayText(account.feedsOf(uid, false), (feed) => feedJson(feed, 'removed'))
    yield ',"replaced_addresses":'
    yield* arrayText(account.replacedAddressesOf(uid), json)
    yield '}'
    before = ',\n'
  }
  yield account.devices.length > 0 ? '\n]' : '[]'
}

function feedJson({ url, at }: ExportedFeed, when: 'added' | 'removed'): string {
  return json({ url, [when]: timestampOrEmpty(at) })
}

/** Writes values as their stored text: parsing would change some numbers. */
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
