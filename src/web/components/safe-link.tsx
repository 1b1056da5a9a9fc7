import type { ComponentChildren } from 'preact'

/** Link to an address from a feed or another user: opens http and https only, in a new tab, without a referrer. */
export function SafeLink({ url, onOpen, children }: { url: string; onOpen?: () => void; children: ComponentChildren }) {
  if (!isWebUrl(url)) return <span>{children}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" onClick={onOpen}>
      {children}
    </a>
  )
}

export function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}
