import { formatTimestamp } from '../../../domain/shared/time.ts'
import type { HistoryEntry } from '../../../domain/sync/export.ts'
import { csvLine } from '../../../formats/csv.ts'
import { get, type Route } from '../../endpoint.ts'
import { podcastsResponse } from '../../responses/list-response.ts'
import { streamResponse } from '../../responses/text-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/transfer/exports.ts'

export const partialExportRoutes = ({ accountExport, subscriptions, folders, origins, clock }: RouteParts): Route[] => [
  get('/api/2/me/export.opml', 'user', spec.exportOpml, async ({ request, set, principal: { user } }) => {
    const now = clock.seconds()
    set.headers['content-disposition'] = attachment(user.username, now, 'opml')
    const title = `Subscriptions of ${user.username}`
    const head = { title, now, base: origins.baseOf(request), folders: await folders.list(user.id) }
    return podcastsResponse('opml', await subscriptions.listUser(user.id), head)
  }),
  get('/api/2/me/export.csv', 'user', spec.exportCsv, async ({ set, principal: { user } }) => {
    const history = await accountExport.history(user)
    set.headers['content-disposition'] = attachment(user.username, clock.seconds(), 'csv')
    return streamResponse(csvText(history), 'text/csv; charset=utf-8; header=present')
  }),
]

/** User names need no quoting. */
function attachment(username: string, now: number, suffix: string): string {
  return `attachment; filename="podstep-${username}-${formatTimestamp(now).slice(0, 10)}.${suffix}"`
}

const COLUMNS = [
  ...['time', 'action', 'podcast', 'episode', 'device', 'started', 'position', 'total'],
  ...['podcast_url', 'episode_url', 'guid'],
]

async function* csvText(history: AsyncIterable<readonly HistoryEntry[]>): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for await (const entries of history) yield entries.map(lineOf).join('')
}

function lineOf({ action, titles }: HistoryEntry): string {
  const { at, kind, device, started, position, total, podcast, episode, guid } = action
  return csvLine([
    ...[formatTimestamp(at), kind, titles.podcast, titles.episode, device, started, position, total],
    ...[podcast, episode, guid],
  ])
}
