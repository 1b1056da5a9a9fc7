import { parseSince } from '../../../domain/shared/time.ts'
import type { Chapter } from '../../../domain/sync/ports/chapters.ts'
import { noteActivity } from '../../activity.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { itemsOf, jsonName, noteLastSeen, syncClientOf } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/sync/chapters.ts'

const PATH = '/api/2/chapters/:username.json'

/** docs/protocol.md#chapters. */
export const chapterRoutes = ({ chapters, lastSeen, activity }: RouteParts): Route[] => [
  get(PATH, 'self', spec.listChapters, async ({ principal, params, query }) => {
    jsonName(params.username)
    const found = await chapters.list(syncClientOf(principal), { ...query, since: parseSince(query.since) })
    noteActivity(activity, principal, { kind: 'fetched_chapters', items: found.chapters.length })
    return { chapters: found.chapters.map(toChapterJson), timestamp: found.timestamp }
  }),
  post(PATH, 'self', spec.changeChapters, async ({ principal, params, body }) => {
    jsonName(params.username)
    const { podcast, episode, device } = body
    const chaptersAdded = itemsOf(body.chapters_add)
    const chaptersRemoved = itemsOf(body.chapters_remove)
    const { timestamp, updateUrls } = await chapters.upload(syncClientOf(principal), {
      ...{ podcast, episode, device },
      add: chaptersAdded.map(({ start, end, label, advertisement }) => {
        return { start, end, label: label ?? '', isAdvertisement: advertisement ?? false }
      }),
      remove: chaptersRemoved,
    })
    if (device) noteLastSeen(lastSeen, principal, device)
    const [added, removed] = [chaptersAdded.length, chaptersRemoved.length]
    noteActivity(activity, principal, { kind: 'sent_chapters', device: device || undefined, added, removed })
    return { update_urls: updateUrls, timestamp }
  }),
]

export function toChapterJson({ start, end, label, isAdvertisement }: Chapter) {
  return { start, end, label, advertisement: isAdvertisement }
}
