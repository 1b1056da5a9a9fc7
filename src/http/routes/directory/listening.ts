import type { ListeningReport } from '../../../domain/directory/listening.ts'
import type { PlayEvent } from '../../../domain/directory/ports/listening.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { get, type Route } from '../../endpoint.ts'
import { pageEnvelope, parsePaging } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/listening.ts'

export const listeningRoutes = ({ listening }: RouteParts): Route[] => [
  get('/api/2/me/listening', 'user', spec.getListening, async ({ principal: { user }, query }) =>
    toReportJson(await listening.report(user.id, query)),
  ),
  get('/api/2/me/history', 'user', spec.getHistory, async ({ principal: { user }, query }) => {
    const paging = parsePaging(query)
    const { total, events } = await listening.history(user.id, paging)
    return { ...pageEnvelope(paging, total), events: events.map(toEventJson) }
  }),
]

function toReportJson({ range, days, weekdays, podcasts, ...sums }: ListeningReport) {
  return {
    from: dateOf(range.from),
    to: dateOf(range.to),
    minutes: minutesOf(sums.seconds),
    episodes: sums.episodes,
    days: days
      .map(({ day, seconds }) => ({ date: dateOf(day), minutes: minutesOf(seconds) }))
      .filter(({ minutes }) => minutes > 0),
    weekdays: weekdays.map(minutesOf),
    podcasts: podcasts
      .map(({ url, title, logoUrl, seconds, episodes }) => ({
        url,
        title,
        logo_url: logoUrl,
        minutes: minutesOf(seconds),
        episodes,
      }))
      .filter(({ minutes }) => minutes > 0),
  }
}

/** Omits keys of unknown values, as in lists for apps (docs/protocol.md#D43). */
function toEventJson(event: PlayEvent) {
  const { podcast, podcastTitle, episode, episodeTitle, hasPicture, at, device, started, position, total } = event
  return {
    podcast,
    podcast_title: podcastTitle,
    episode,
    episode_title: episodeTitle,
    has_picture: hasPicture,
    timestamp: formatTimestamp(at),
    ...(device !== undefined && { device }),
    ...(started !== undefined && { started }),
    ...(position !== undefined && { position }),
    ...(total !== undefined && { total }),
  }
}

function minutesOf(seconds: number): number {
  return Math.round(seconds / 60)
}

function dateOf(day: number): string {
  return formatTimestamp(day * 86_400).slice(0, 10)
}
