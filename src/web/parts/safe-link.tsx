import type { ComponentChildren } from 'preact'

/** A link to somebody else's page, by an address that somebody else wrote: http and https only, and nobody learns where it came from. */
export function SafeLink({ url, children }: { url: string; children: ComponentChildren }) {
  if (!isWeb(url)) return <span>{children}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

export function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}

/** A text of several lines with its addresses as links; nothing of it is taken as HTML. */
export function Prose({ text }: { text: string }) {
  return (
    <div class="prose" dir="auto">
      {text
        .split(/\n{2,}/)
        .filter((paragraph) => paragraph.trim() !== '')
        .map((paragraph, index) => (
          <p key={index}>{linked(paragraph)}</p>
        ))}
    </div>
  )
}

function linked(text: string): ComponentChildren[] {
  return text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])/g).map((piece, index) =>
    index % 2 === 1 ? (
      <SafeLink key={index} url={piece}>
        {piece}
      </SafeLink>
    ) : (
      piece
    ),
  )
}
