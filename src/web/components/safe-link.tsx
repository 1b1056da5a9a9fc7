import type { ComponentChildren } from 'preact'

/** A link to somebody else's page, by an address that somebody else wrote: http and https only, and nobody learns where it came from. */
export function SafeLink({ url, children }: { url: string; children: ComponentChildren }) {
  if (!isWebUrl(url)) return <span>{children}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

export function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}
