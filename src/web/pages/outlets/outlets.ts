import type { Answer } from '../../api/client.ts'

/** The address of a feed with the new episodes of podcasts with a tag; `template` has `{tag}` in its place. */
export function tagFeed(template: string, tag: string): string {
  return template.replace('{tag}', encodeURIComponent(tag.trim()))
}

/** The address of a feed with the new episodes of the podcasts in a folder; `template` has `{folder}` in its place. */
export function folderFeed(template: string, id: string): string {
  return template.replace('{folder}', id)
}

/** The address of a private feed as other devices reach it: with the server address `reachable` in place of `base`. */
export function feedAddress(url: string, base: string, reachable: string): string {
  return url.startsWith(`${base}/`) ? reachable + url.slice(base.length) : url
}

export const FORMATS = ['ntfy', 'gotify', 'json'] as const
export const EVENTS = ['new_episode', 'feed_failing', 'new_device'] as const

export type Format = (typeof FORMATS)[number]
export type WebhookEvent = (typeof EVENTS)[number]

type Progress = Pick<
  NonNullable<Answer<'getWebhook'>>,
  'off_reason' | 'last_success' | 'last_failure' | 'next_attempt' | 'waiting'
>

/** How it goes with a webhook: it is off, its last message failed, it works, or there was no message yet. */
export function progressOf(webhook: Progress): 'off' | 'failing' | 'works' | 'unused' {
  if (webhook.off_reason !== '') return 'off'
  if (webhook.next_attempt !== '' || webhook.last_failure > webhook.last_success) return 'failing'
  return webhook.last_success === '' ? 'unused' : 'works'
}

/** The events with one of them switched on or off, in the order of the page. */
export function withEvent(
  events: readonly WebhookEvent[],
  event: WebhookEvent,
  isOn: boolean,
): readonly WebhookEvent[] {
  return EVENTS.filter((each) => (each === event ? isOn : events.includes(each)))
}
