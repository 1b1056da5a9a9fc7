import { t } from '../../locales/index.ts'
import { toast } from '../toasts.ts'

/**
 * Shares a page of this server through the system's dialog, or copies its URL if the browser has none. `from` is the
 * start position in seconds.
 */
export async function shareLink(title: string, path: string, from?: number): Promise<void> {
  const link = new URL(path, document.baseURI)
  if (from !== undefined && from > 0) link.hash = `t=${from}`
  const url = link.href
  if (navigator.share) {
    // Closing the system's dialog is not an error.
    await navigator.share({ title, url }).catch(() => undefined)
    return
  }
  try {
    await navigator.clipboard.writeText(url)
    toast(t('player.linkCopied'))
  } catch {
    // Browsers provide no clipboard without HTTPS.
    toast(url)
  }
}

/** Parses the seconds in a URL fragment such as `#t=754`. */
export function timeIn(hash: string): number | undefined {
  const seconds = /^#t=(\d{1,6})$/.exec(hash)?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}
