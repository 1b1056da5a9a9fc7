/** Characters before the root, not counting comments: a declaration, a DOCTYPE, or output of a broken server. */
const HEAD_MAX = 64 * 1024

export interface FoundRoot {
  readonly rawName: string
  readonly index: number
  readonly prolog: string
  readonly isInPage: boolean
}

const TOKEN = /<(?:!--|\?|!\[CDATA\[|!doctype\b|([a-z_][\w.:-]*))/gi
const FEED_ROOT = /^(?:[\w.-]+:)?(?:rss|rdf|feed)$/i
const FEED_IN_PAGE = /^(?:[\w.-]+:)?(?:rss|feed)$/i
const INSTRUCTION = /<\?[\w-]+(?:\s+[\w:-]+\s*=\s*(?:"[^"]{0,2000}"|'[^']{0,2000}'))*\s*\??>/y
const DOCTYPE_OF_PAGE = /<!doctype\s+html\b/iy
const DOCTYPE_MARK = /<!--|["'[\]>]/g
const TAG_MARK = /["'>]/g
const RAW = /^(?:script|style|textarea|title|template|xmp)$/

/** The root element of a feed outside comments and scripts, or whether it is a web page. Linear time. */
export function findRoot(text: string): FoundRoot | 'page' | undefined {
  const prolog: string[] = []
  const endOf = createEndOf(text)
  let isInPage = false
  let isFirst = true
  let passed = 0
  for (let at = 0; ; ) {
    const [token, rawName] = tokenAt(text, at)
    if (token === undefined) break
    const start = TOKEN.lastIndex - token.length
    prolog.push(text.slice(at, start))
    passed += start - at
    if (passed > HEAD_MAX) break
    if (token === '<!--') at = endOf('-->', start)
    else if (token === '<?') at = isAt(INSTRUCTION, text, start) ? INSTRUCTION.lastIndex : endOf('?>', start)
    else if (rawName === undefined) {
      isInPage ||= isAt(DOCTYPE_OF_PAGE, text, start)
      at = token.startsWith('<![') ? endOf(']]>', start) : endOf('>', start, () => endOfDoctype(text, start, prolog))
    } else {
      const name = rawName.toLowerCase()
      if ((isInPage && !isFirst ? FEED_IN_PAGE : FEED_ROOT).test(name) && /[\s>]/.test(text.charAt(TOKEN.lastIndex)))
        return { rawName, index: start, prolog: prolog.join(''), isInPage }
      isFirst = false
      isInPage ||= name === 'html'
      at = isInPage ? endOfElement(text, start, name) : TOKEN.lastIndex
      passed += at - start
    }
  }
  return isInPage ? 'page' : undefined
}

function tokenAt(text: string, from: number): readonly [token: string | undefined, rawName: string | undefined] {
  TOKEN.lastIndex = from
  const match = TOKEN.exec(text)
  return [match?.[0], match?.[1]]
}

function isAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at
  return sticky.test(text)
}

/** Returns a function that finds the end of a mark; a missing mark counts as just after the start. */
function createEndOf(text: string) {
  const missing = new Set<string>()
  return (mark: string, start: number, find = () => text.indexOf(mark, start)): number => {
    const end = missing.has(mark) ? -1 : find()
    if (end < 0) missing.add(mark)
    return end < 0 ? start + 2 : end + mark.length
  }
}

function endOfDoctype(text: string, start: number, prolog: string[]): number {
  let isInSubset = false
  let from = start
  DOCTYPE_MARK.lastIndex = start
  for (let match = DOCTYPE_MARK.exec(text); match; match = DOCTYPE_MARK.exec(text)) {
    const [mark] = match
    if (mark === '[' || mark === ']') isInSubset = mark === '['
    else if (mark === '>') {
      if (isInSubset) continue
      prolog.push(text.slice(from, match.index))
      return match.index
    } else {
      const end = text.indexOf(mark === '<!--' ? '-->' : mark, DOCTYPE_MARK.lastIndex)
      if (end < 0) break
      if (mark === '<!--') {
        prolog.push(text.slice(from, match.index))
        from = end
      }
      DOCTYPE_MARK.lastIndex = end + 1
    }
  }
  return -1
}

function endOfElement(text: string, start: number, name: string): number {
  const end = endOfTag(text, start)
  if (!RAW.test(name)) return end
  const endTag = new RegExp(`</${name}`, 'gi')
  endTag.lastIndex = end
  return endTag.test(text) ? endTag.lastIndex : text.length
}

function endOfTag(text: string, start: number): number {
  TAG_MARK.lastIndex = start
  for (let match = TAG_MARK.exec(text); match; match = TAG_MARK.exec(text)) {
    if (match[0] === '>') return TAG_MARK.lastIndex
    const end = text.indexOf(match[0], TAG_MARK.lastIndex)
    if (end >= 0) TAG_MARK.lastIndex = end + 1
  }
  return text.length
}
