import { type Answer, call } from '../api/client.ts'
import { t } from '../locales/index.ts'
import { ensurePodcastDevices } from './own-device.ts'
import {
  applyChanges,
  type DeviceChange,
  ensureHolders,
  feedUrl,
  holdersOf,
  invert,
  loadOwnPodcasts,
  ownPodcasts,
} from './subscriptions.ts'
import { toast } from './toasts.ts'

/** What a pasted text means: podcasts, or a reason why there are none. */
export type Resolution = Answer<'resolvePodcast'>

/** A podcast to add. */
export interface Addition {
  readonly url: string
  /** '' if it is not known. */
  readonly title: string
}

/** Asks the server what a pasted text means. Rejects with `ApiError`. */
export function resolveText(text: string, signal?: AbortSignal): Promise<Resolution> {
  return call('resolvePodcast', { body: { text }, ...(signal && { signal }) })
}

/** Whether a text is, or has in it, an address, and not words to search for. */
export function looksLikeAddress(text: string): boolean {
  const trimmed = text.trim()
  if (/\s/.test(trimmed)) return /\b(?:https?|feed|rss|pcast|itpc|podcast):\/\/\S/i.test(trimmed)
  return /^[a-z][a-z0-9+-]*:\S/i.test(trimmed) || /^[^\s/@]+\.[^\s/@.]{2,}(?:[/?#:]\S*)?$/.test(trimmed)
}

/** Reasons that may be gone when the same address is tried once more. */
const PASSING: readonly string[] = ['unreachable', 'timeout', 'server_error', 'directory_error', 'internal', 'refused']

/** Reasons why the server cannot have a podcast that others, such as an app in the same house, may be able to have. */
const OURS: readonly string[] = ['forbidden', 'denied', 'blocked', 'tls', 'too_large', 'unknown', 'outbound_off']

/** What can be done about an address at which no podcast was found. */
export function nextSteps({ reason }: Pick<Resolution, 'reason'>) {
  const mayPass = PASSING.includes(reason)
  const isOurs = OURS.includes(reason)
  return { canRetry: mayPass, canAddAnyway: (mayPass && !reason.startsWith('directory')) || isOurs }
}

/** What a podcast is called in messages: its address until there is a title. */
export function titleOf({ url, title }: Addition): string {
  return title === ''
    ? feedUrl(url)
        .replace(/^https?:\/\/(?:www\.)?/, '')
        .replace(/\/$/, '')
    : title
}

/**
 * Subscribes to a podcast on all devices for podcasts, or on some of them, and shows a message with a button to undo
 * it. The first device is made silently. Rejects with `ApiError`.
 */
export async function addPodcast(podcast: Addition, chosen?: ReadonlySet<string>): Promise<void> {
  const [targets] = await Promise.all([ensurePodcastDevices(), ensureHolders()])
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

/** Pages that show the list get it again. */
async function change(changes: readonly DeviceChange[], { url, title }: Addition): Promise<void> {
  await applyChanges(changes, title === '' ? undefined : { [feedUrl(url)]: title })
  if (ownPodcasts.value) await loadOwnPodcasts().catch(() => undefined)
}
