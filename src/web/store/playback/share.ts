import { t } from '../../locales/index.ts'
import { toast } from '../toasts.ts'

/**
 * Shares a page of this server by the system's own dialog, or copies its address where there is none. `from` is a second of
 * the episode at which it is to begin.
 */
export async function shareLink(title: string, path: string, from?: number): Promise<void> {
  const link = new URL(path, document.baseURI)
  if (from !== undefined && from > 0) link.hash = `t=${from}`
  const url = link.href
  if (navigator.share) {
    // To close the system's dialog is no failure.
    await navigator.share({ title, url }).catch(() => undefined)
    return
  }
  try {
    await navigator.clipboard.writeText(url)
    toast(t('player.linkCopied'))
  } catch {
    // Without https there is no clipboard.
    toast(url)
  }
}

/** The second in the fragment of an address, such as `#t=754`; undefined without one. */
export function timeIn(hash: string): number | undefined {
  const seconds = /^#t=(\d{1,6})$/.exec(hash)?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}
