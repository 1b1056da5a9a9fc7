/** Vocabularies by their names, in one spelling, and the prefix under which the rest of the program knows them; `''` is none. */
const VOCABULARIES: Readonly<Record<string, string>> = {
  'www.itunes.com/dtds/podcast-1.0.dtd': 'itunes:',
  'www.google.com/schemas/play-podcasts/1.0': 'googleplay:',
  'podcastindex.org/namespace/1.0': 'podcast:',
  'github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md': 'podcast:',
  'search.yahoo.com/mrss': 'media:',
  'purl.org/dc/elements/1.1': 'dc:',
  'purl.org/rss/1.0/modules/content': 'content:',
  'purl.org/rss/1.0/modules/syndication': 'sy:',
  'purl.oclc.org/net/rss_2.0/enc': 'enc:',
  'www.w3.org/1999/02/22-rdf-syntax-ns': 'rdf:',
  'www.w3.org/2005/atom': 'atom:',
  'purl.org/atom/ns': 'atom:',
  'purl.org/rss/1.0': '',
  'my.netscape.com/rdf/simple/0.9': '',
}

/** Names that objects have of their own, and those that the parser keeps for itself. */
const RESERVED = /^(?:[#@:]|(?:__proto__|constructor|prototype)\/?$)/

/**
 * How elements are called here, whatever prefixes the document made up in `head`: in lower case, with the usual prefix, or with none if
 * they belong to the format itself. Prefixes that nobody declared, or for something unknown, stay: many a publisher mistypes the address.
 */
export function elementNames(head: string, isAtom: boolean): (raw: string) => string {
  const prefixes = new Map(isAtom ? [['atom:', '']] : [])
  for (const [, prefix = '', one, two] of head.matchAll(/\sxmlns:([\w.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g)) {
    const usual = VOCABULARIES[vocabulary(one ?? two ?? '')]
    if (usual !== undefined) prefixes.set(`${prefix.toLowerCase()}:`, isAtom && usual === 'atom:' ? '' : usual)
  }
  return (raw) => usualName(raw.toLowerCase(), prefixes)
}

function usualName(name: string, prefixes: ReadonlyMap<string, string>): string {
  const end = name.indexOf(':') + 1
  const usual = prefixes.get(name.slice(0, end))
  const known = usual === undefined ? name : usual + name.slice(end)
  return RESERVED.test(known) ? `_${known}` : known
}

/** `http` or `https`, capitals and what stands at the end make no difference to anybody. */
function vocabulary(address: string): string {
  return address
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/#]+$/, '')
}
