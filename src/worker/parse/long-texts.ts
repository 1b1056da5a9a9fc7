import { startOf } from './feed-values.ts'

export const TEXT_MAX = 512 * 1024

const INLINE_FILE = /(\bdata:[^\s"'<>&,]{0,200},)[\w+/=%-]{200,}/gi

const WORDS = /[^<>!?"'/\]-]+/g
const REPEATED = /([>!?/\]-] )\1+/g

export function startOfText(text: string): string {
  return text.length <= TEXT_MAX ? text : startOf(withoutInlineFiles(text), TEXT_MAX)
}

function withoutInlineFiles(text: string): string {
  return text.replaceAll(INLINE_FILE, '$1')
}

/**
 * Shortens texts between two tags to about `TEXT_MAX` characters. The parser builds a text from single characters, each
 * of which takes 32 bytes until the next tag.
 *
 * Does not distinguish texts, comments and sections, so it drops only words, never characters that could end one.
 */
export function shortenLongTexts(document: string): string {
  const pieces: string[] = []
  let copied = 0
  for (let at = document.indexOf('<'); at >= 0 && at < document.length; ) {
    const next = nextTag(document, at + 1)
    const start = next - at > TEXT_MAX ? document.indexOf('>', at) : -1
    if (start >= 0 && next - start > TEXT_MAX) {
      pieces.push(document.slice(copied, start), shortened(document.slice(start, next)))
      copied = next
    }
    at = next
  }
  return pieces.length === 0 ? document : pieces.join('') + document.slice(copied)
}

function shortened(text: string): string {
  const bare = withoutInlineFiles(text)
  return bare.slice(0, TEXT_MAX) + bare.slice(TEXT_MAX).replaceAll(WORDS, ' ').replaceAll(REPEATED, '$1')
}

function nextTag(document: string, from: number): number {
  for (let at = document.indexOf('<', from); at >= 0; at = document.indexOf('<', at + 1))
    if (!document.startsWith('<!-', at)) return at
  return document.length
}
