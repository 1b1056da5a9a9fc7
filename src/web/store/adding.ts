import { type Answer, call } from '../api/client.ts'
import { t } from '../locales/index.ts'
import { ensurePodcastDevices } from './own-device.ts'
import {
  applyChanges,
  type DeviceChange,
  ensureSubscribedDevices,
  feedUrl,
  holdersOf,
  invert,
  loadOwnPodcasts,
  ownPodcasts,
} from './subscriptions.ts'
import { toast } from './toasts.ts'

/** Podcasts found for a pasted text, or the reason for finding none. */
export type Resolution = Answer<'resolvePodcast'>

export interface Addition {
  readonly url: string
  /** '' if unknown. */
  readonly title: string
}

/** Asks the server for the podcasts behind a pasted text. Rejects with `ApiError`. */
export function resolveText(text: string, signal?: AbortSignal): Promise<Resolution> {
  return call('resolvePodcast', { body: { text }, ...(signal && { signal }) })
}

/** Whether a text is or contains an address rather than search words. */
export function looksLikeAddress(text: string): boolean {
  const trimmed = text.trim()
  if (/\s/.test(trimmed)) return /\b(?:https?|feed|rss|pcast|itpc|podcast):\/\/\S/i.test(trimmed)
  return /^[a-z][a-z0-9+-]*:\S/i.test(trimmed) || /^[^\s/@]+\.[^\s/@.]{2,}(?:[/?#:]\S*)?$/.test(trimmed)
}

/** Temporary reasons, for which a retry may succeed. */
const PASSING: readonly string[] = ['unreachable', 'timeout', 'server_error', 'directory_error', 'internal', 'refused']

/** Reasons specific to this server. Apps, such as one in the same network, may still be able to load the podcast. */
const OURS: readonly string[] = ['forbidden', 'denied', 'blocked', 'tls', 'too_large', 'unknown', 'outbound_off']

/** Returns the options for an address without a podcast. */
export function nextSteps({ reason }: Pick<Resolution, 'reason'>) {
  const mayPass = PASSING.includes(reason)
  const isOurs = OURS.includes(reason)
  return { canRetry: mayPass, canAddAnyway: (mayPass && !reason.startsWith('directory')) || isOurs }
}

/** Returns the name of a podcast for messages: its title, or else its shortened URL. */
export function titleOf({ url, title }: Addition): string {
  return title === ''
    ? feedUrl(url)
        .replace(/^https?:\/\/(?:www\.)?/, '')
        .replace(/\/$/, '')
    : title
}

/**
 * Subscribes to a podcast on all podcast devices or on the chosen ones, and shows a message with an undo button.
 * Creates a device if the user has none. Rejects with `ApiError`.
 */
export async function addPodcast(podcast: Addition, chosen?: ReadonlySet<string>): Promise<void> {
  const [targets] = await Promise.all([ensurePodcastDevices(), ensureSubscribedDevices()])
  const url = feedUrl(podcast.url)
  const title = titleOf(podcast)
  const has = holdersOf(url)
  const missing = targets.filter(({ id }) => !has.has(id) && (chosen?.has(id) ?? true))
  if (missing.length === 0) {
    toast(t('add.known', { title }), { subject: url })
    return
  }
  const changes = missing.map(({ id }): DeviceChange => ({ device: id, add: [url], remove: [] }))
  await change(changes, podcast)
  toast(t('add.added', { title }), {
    subject: url,
    action: { label: t('common.undo'), run: () => void undo(changes, podcast) },
  })
}

async function undo(changes: readonly DeviceChange[], podcast: Addition): Promise<void> {
  const subject = feedUrl(podcast.url)
  try {
    await change(invert(changes), podcast)
    toast(t('add.undone', { title: titleOf(podcast) }), { subject })
  } catch {
    toast(t('add.notUndone', { title: titleOf(podcast) }), { kind: 'error' })
  }
}

/** Applies changes and reloads the user's podcasts if a page has loaded them. */
async function change(changes: readonly DeviceChange[], { url, title }: Addition): Promise<void> {
  await applyChanges(changes, title === '' ? undefined : { [feedUrl(url)]: title })
  if (ownPodcasts.value) await loadOwnPodcasts().catch(() => undefined)
}
