import type { Clock } from '../../platform/clock.ts'
import { parseDeviceId } from '../accounts/identifiers.ts'
import { invalid } from '../shared/errors.ts'
import { createUrlRewriter, sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { CHAPTERS_PER_EPISODE } from '../shared/limits.ts'
import type { Cursors } from './cursors.ts'
import type { Chapter, ChapterStore, ChapterTimes } from './ports/chapters.ts'
import type { SyncClient } from './subscriptions.ts'

const LABEL_MAX = 500

export interface UploadedChapters {
  readonly podcast: string
  readonly episode: string
  readonly device?: string | null | undefined
  readonly add: readonly Chapter[]
  readonly remove: readonly ChapterTimes[]
}

export type Chapters = ReturnType<typeof createChapters>

/** Chapters that users mark (docs/protocol.md#D88). Both methods throw `validation_failed`. */
export function createChapters(store: ChapterStore, cursors: Cursors, clock: Clock) {
  const streamOf = (userId: UserId, target: string) => `chapters ${userId} ${target}`

  return {
    async list(
      { userId, client }: SyncClient,
      { podcast, episode, since }: { podcast?: string | undefined; episode?: string | undefined; since: number },
    ): Promise<{ chapters: readonly Chapter[]; timestamp: number }> {
      const target = `${urlOf('podcast', podcast)} ${urlOf('episode', episode)}`
      const { chapters, clock } = await store.list(userId, target, since)
      return { chapters, timestamp: cursors.afterFetch(client, streamOf(userId, target), clock) }
    },

    /** All or nothing. Throws `quota_exceeded`. */
    async upload(
      { userId, client }: SyncClient,
      { podcast, episode, device, add, remove }: UploadedChapters,
    ): Promise<{ timestamp: number; updateUrls: [string, string][] }> {
      const rewriter = createUrlRewriter()
      const [feed, media] = [rewriter.rewrite(podcast), rewriter.rewrite(episode)]
      if (feed === undefined) throw noUrl('podcast')
      if (media === undefined) throw noUrl('episode')
      const uid = device ? parseDeviceId(device) : undefined
      checkTimes('chapters_add', add)
      checkTimes('chapters_remove', remove)
      if (add.some(({ label }) => label.length > LABEL_MAX))
        throw invalid('chapters_add', `a label must have at most ${LABEL_MAX} characters`)

      const target = `${feed} ${media}`
      const stream = streamOf(userId, target)
      const seenUntil = cursors.seenUntil(client, stream)
      const labelled = add.map((chapter) => ({ ...chapter, label: chapter.label.toWellFormed() }))
      const change = { add: labelled, remove, device: uid }
      const written = await store.change(userId, target, change, { at: clock.seconds(), seenUntil })
      return { timestamp: cursors.afterUpload(client, stream, written, seenUntil), updateUrls: rewriter.updateUrls() }
    },
  }
}

function checkTimes(field: string, chapters: readonly ChapterTimes[]): void {
  if (chapters.length > CHAPTERS_PER_EPISODE)
    throw invalid(field, `${field} must have at most ${CHAPTERS_PER_EPISODE} chapters`)
  if (!chapters.every(({ start, end }) => isSeconds(start) && isSeconds(end)))
    throw invalid(field, 'start and end must be whole seconds from 0 on')
  if (chapters.some(({ start, end }) => end < start)) throw invalid(field, 'a chapter must not end before it starts')
}

function isSeconds(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function urlOf(field: string, raw: string | undefined): string {
  const url = sanitizeUrl(raw ?? '')
  if (url === undefined) throw noUrl(field)
  return url
}

function noUrl(field: string) {
  return invalid(field, `${field} must be given, as an http or https URL`)
}
