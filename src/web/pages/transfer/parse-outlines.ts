import type { ParseOutlines } from './read-list.ts'

/**
 * By the browser's own parsers, which run nothing and fetch nothing. What is not well-formed, often for an address with a bare `&`, is
 * read as leniently as HTML.
 */
export const parseOutlines: ParseOutlines = (text) => {
  const parser = new DOMParser()
  const strict = parser.parseFromString(text.trim(), 'text/xml')
  const isWell = strict.getElementsByTagName('parsererror').length === 0
  const elements = [...(isWell ? strict : parser.parseFromString(text, 'text/html')).getElementsByTagName('*')]
  if (!elements.some(({ localName }) => localName.toLowerCase() === 'opml')) return undefined
  return elements
    .filter(({ localName }) => localName.toLowerCase() === 'outline')
    .map(({ attributes }) => new Map([...attributes].map(({ name, value }) => [name.toLowerCase(), value])))
}
