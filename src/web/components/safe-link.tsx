import type { ComponentChildren } from 'preact'

/** A link to an address from a feed or from another user: only http and https, without a referrer, in a new tab. */
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
