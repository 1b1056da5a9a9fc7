import type { Answer } from '../../api/client.ts'

/** Returns the address of the feed of new episodes for a tag. `template` contains `{tag}`. */
export function tagFeed(template: string, tag: string): string {
  return template.replace('{tag}', encodeURIComponent(tag.trim()))
}

/** Returns the address of the feed of new episodes for a folder. `template` contains `{folder}`. */
export function folderFeed(template: string, id: string): string {
  return template.replace('{folder}', id)
}

/** Replaces the server address `base` of a private feed by `reachable`, which works on other devices. */
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

/** Returns the state of a webhook. `failing`: the last message failed; `unused`: no message has been sent yet. */
export function progressOf(webhook: Progress): 'off' | 'failing' | 'works' | 'unused' {
  if (webhook.off_reason !== '') return 'off'
  if (webhook.next_attempt !== '' || webhook.last_failure > webhook.last_success) return 'failing'
  return webhook.last_success === '' ? 'unused' : 'works'
}

/** Switches an event on or off. Returns the events in the order of the page. */
export function withEvent(
  events: readonly WebhookEvent[],
  event: WebhookEvent,
  isOn: boolean,
): readonly WebhookEvent[] {
  return EVENTS.filter((each) => (each === event ? isOn : events.includes(each)))
}
