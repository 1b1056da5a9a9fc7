/** Vocabularies by their addresses, in one spelling, and the prefix used for them here; `''` is none. */
const VOCABULARIES: Readonly<Record<string, string>> = {
  'www.itunes.com/dtds/podcast-1.0.dtd': 'itunes:',
  'www.google.com/schemas/play-podcasts/1.0': 'googleplay:',
  'podcastindex.org/namespace/1.0': 'podcast:',
  'github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md': 'podcast:',
  'search.yahoo.com/mrss': 'media:',
  'purl.org/dc/elements/1.1': 'dc:',
  'purl.org/dc/elements/1.0': 'dc:',
  'purl.org/dc/terms': 'dc:',
  'purl.org/rss/1.0/modules/content': 'content:',
  'purl.org/rss/1.0/modules/syndication': 'sy:',
  'purl.oclc.org/net/rss_2.0/enc': 'enc:',
  'podlove.org/simple-chapters': 'psc:',
  'www.w3.org/1999/02/22-rdf-syntax-ns': 'rdf:',
  'www.w3.org/2005/atom': 'atom:',
  'purl.org/atom/ns': 'atom:',
  'purl.org/rss/1.0': '',
  'my.netscape.com/rdf/simple/0.9': '',
  'my.netscape.com/publish/formats/rss-0.91.dtd': '',
  'backend.userland.com/rss': '',
  'backend.userland.com/rss2': '',
  'backend.userland.com/rss091': '',
  'blogs.law.harvard.edu/tech/rss': '',
  'cyber.law.harvard.edu/rss/rss.html': '',
}

/** Names of properties that all objects have, and names reserved by the parser. */
const RESERVED = /^(?:[#@:]|(?:__proto__|constructor|prototype)\/?$)/
const STRUCTURE = /^(?:rss|rdf|rdf:rdf|channel|item|feed|entry)$/
const MARK = 'xmlns:'
const DECLARATION = /xmlns:([\w.-]+)\s*=\s*(?:"([^"<]{0,500})"|'([^'<]{0,500})')/y

export interface ElementNames {
  /** The name with its usual prefix, in lower case; unknown prefixes stay, since publishers mistype addresses. */
  of(raw: string): string
  createScopes(): ElementScopes
}

export interface ElementScopes {
  nameOf(name: string, attributes: Readonly<Record<string, unknown>>, depth: () => number): string
  reset(): void
}

export function elementNames(document: string, rawRoot: string): ElementNames {
  const [rootPrefix, local] = partsOf(rawRoot.toLowerCase())
  const isAtom = local === 'feed'
  const { prefixes, ambiguous } = declaredPrefixes(document)
  for (const [prefix, usual] of [
    ['atom:', 'atom:'],
    ['atom10:', 'atom:'],
    ['dcterms:', 'dc:'],
  ] as const)
    if (!prefixes.has(prefix)) prefixes.set(prefix, usual)
  // The name of the root tells more than the address of its vocabulary.
  if (rootPrefix !== '') prefixes.set(rootPrefix, local === 'rdf' ? 'rdf:' : '')
  if (isAtom) for (const [prefix, usual] of prefixes) if (usual === 'atom:') prefixes.set(prefix, '')

  function usualPrefix(address: unknown): string | undefined {
    const usual = typeof address === 'string' ? VOCABULARIES[vocabulary(address)] : undefined
    return isAtom && usual === 'atom:' ? '' : usual
  }

  function of(raw: string): string {
    const name = raw.toLowerCase()
    const [prefix, rest] = partsOf(name)
    const usual = ambiguous.has(prefix) ? undefined : prefixes.get(prefix)
    const usualName = usual === undefined ? name : usual + rest
    return RESERVED.test(usualName) ? `_${usualName}` : usualName
  }

  function createScopes(): ElementScopes {
    const scopes: { readonly depth: number; readonly prefix: string }[] = []

    function plainName(name: string, address: unknown, depth: () => number): string {
      if (address !== undefined) scopes.push({ depth: depth(), prefix: usualPrefix(address) ?? '' })
      return (scopes.at(-1)?.prefix ?? '') + name
    }

    function leave(depth: number): void {
      while ((scopes.at(-1)?.depth ?? -1) >= depth) scopes.pop()
    }

    return {
      nameOf(name, attributes, depth) {
        const address = attributes['@xmlns']
        if (scopes.length > 0) leave(depth())
        if (ambiguous.size > 0 && name.includes(':')) {
          const [prefix, local] = partsOf(name)
          if (!ambiguous.has(prefix)) return name
          return (usualPrefix(attributes[`@${MARK}${prefix.slice(0, -1)}`]) ?? prefixes.get(prefix) ?? prefix) + local
        }
        if ((address === undefined && scopes.length === 0) || name.includes(':') || STRUCTURE.test(name)) return name
        return plainName(name, address, depth)
      },
      reset: () => void scopes.splice(0),
    }
  }

  return { of, createScopes }
}

function partsOf(name: string): readonly [prefix: string, local: string] {
  const end = name.indexOf(':') + 1
  return [name.slice(0, end), name.slice(end)]
}

function declaredPrefixes(document: string) {
  const prefixes = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (let at = document.indexOf(MARK); at >= 0; at = document.indexOf(MARK, at + MARK.length)) {
    DECLARATION.lastIndex = at
    const [, name = '', one, two] = DECLARATION.exec(document) ?? []
    const usual = VOCABULARIES[vocabulary(one ?? two ?? '')]
    if (usual === undefined) continue
    const prefix = `${name.toLowerCase()}:`
    const declared = prefixes.get(prefix)
    if (declared === undefined) prefixes.set(prefix, usual)
    else if (declared !== usual) ambiguous.add(prefix)
  }
  return { prefixes, ambiguous }
}

function vocabulary(address: string): string {
  return address
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/#]+$/, '')
}
