import { NotAFeed } from '../../domain/feeds/document.ts'

/*
 * Limits on a document before parsing: a few of its bytes can become hundreds in the parser's tree. The largest known
 * feeds stay well below; see docs/feeds.md.
 */

const ELEMENTS_MAX = 1_000_000
const ATTRIBUTES_MAX = 1_000_000
const SECTIONS_MAX = 100_000
const TAG_WORDS_MAX = 20_000
const LINES_MAX = 1_000_000
/** Characters between two tags, including comments. `shortenLongTexts` leaves more only when markup deceives it. */
const BETWEEN_TAGS_MAX = 1_000_000

const CONTAINERS_MAX = 200_000
const VALUES_MAX = 1_000_000

const EXCLAMATION = 0x21
const QUOTE = 0x22
const APOSTROPHE = 0x27
const [COMMA, SLASH, COLON] = [0x2c, 0x2f, 0x3a]
const [LESS, EQUALS, GREATER, QUESTION] = [0x3c, 0x3d, 0x3e, 0x3f]
const NO_BREAK_SPACE = 0xa0
const [BRACKET, BACKSLASH, BRACE] = [0x5b, 0x5c, 0x7b]

const NONE = -1

/**
 * Earliest tag that may still be open, for each state of quoting: the number of words before it, or `NONE`. The
 * earliest is the longest.
 */
interface OpenTags {
  unquoted: number
  inQuotes: number
  inApostrophes: number
}

/**
 * Throws `NotAFeed` for XML beyond the limits.
 *
 * The single pass does not distinguish text, comments and tags: it counts everything that could be a tag. The parser's
 * idea of a tag depends on where the tag starts, on quotes and on names, so a crafted document could hide tags from a
 * stricter check. Text is skipped up to the next `<` only where no tag can be open.
 */
export function checkXmlBounds(text: string): void {
  checkLines(text)
  const tags: OpenTags = { unquoted: NONE, inQuotes: NONE, inApostrophes: NONE }
  const instructions: OpenTags = { ...tags }
  let elements = 0
  let attributes = 0
  let sections = 0
  let words = 0
  let isInWord = false
  let textStart = NONE
  let commentEnd = 0
  let before = 0
  for (let at = startOfTag(text, 0); at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Fast path: most characters are letters.
    if (code > QUESTION && code < NO_BREAK_SPACE) {
      if (!isInWord) words++
      isInWord = true
      before = code
      continue
    }
    if (isSpace(code)) {
      isInWord = false
      continue
    }
    if (code === EQUALS) isInWord = false
    else if (!isInWord) {
      isInWord = true
      words++
    }
    if (code === LESS) {
      const next = text.charCodeAt(at + 1)
      const isInstruction = next === QUESTION
      if (next !== SLASH && ++elements > ELEMENTS_MAX) throw tooMany(ELEMENTS_MAX, 'elements')
      if ((isInstruction || next === EXCLAMATION) && ++sections > SECTIONS_MAX)
        throw tooMany(SECTIONS_MAX, 'comments and CDATA sections')
      const isComment = text.startsWith('!--', at + 1)
      if (at >= commentEnd) {
        checkText(textStart, at)
        // The parser continues a text after a comment.
        if (!isComment) textStart = NONE
        else if (commentEnd !== NONE) commentEnd = text.indexOf('-->', at)
      }
      if (tags.unquoted === NONE && !isComment && !text.startsWith('![', at + 1)) tags.unquoted = words
      if (isInstruction && instructions.unquoted === NONE) instructions.unquoted = words
    } else if (code === GREATER) {
      if (textStart === NONE) textStart = at
      endTags(tags, words)
      if (before === QUESTION) endTags(instructions, words)
      if (!mayBeOpen(tags) && !mayBeOpen(instructions)) at = startOfTag(text, at) - 1
    } else if (code === QUOTE || code === APOSTROPHE) {
      if (before === EQUALS && ++attributes > ATTRIBUTES_MAX) throw tooMany(ATTRIBUTES_MAX, 'attributes')
      turnQuotes(tags, code)
      turnQuotes(instructions, code)
    }
    before = code
  }
  checkText(textStart, text.length)
}

function checkLines(text: string): void {
  let lines = 0
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1))
    if (++lines > LINES_MAX) throw tooMany(LINES_MAX, 'lines')
}

function startOfTag(text: string, from: number): number {
  const at = text.indexOf('<', from)
  return at < 0 ? text.length : at
}

function mayBeOpen({ unquoted, inQuotes, inApostrophes }: OpenTags): boolean {
  return unquoted !== NONE || inQuotes !== NONE || inApostrophes !== NONE
}

function isSpace(code: number): boolean {
  return code <= 0x20 || code === NO_BREAK_SPACE || (code >= 0x1680 && (code <= 0x3000 || code === 0xfeff))
}

function checkText(start: number, end: number): void {
  if (start !== NONE && end - start > BETWEEN_TAGS_MAX) throw tooMany(BETWEEN_TAGS_MAX, 'characters between two tags')
}

function endTags(tags: OpenTags, words: number): void {
  if (tags.unquoted !== NONE && words - tags.unquoted > TAG_WORDS_MAX) throw tooMany(TAG_WORDS_MAX, 'words in a tag')
  tags.unquoted = NONE
}

/** At a quote, tags in quotes of that kind become unquoted, and unquoted tags become quoted. */
function turnQuotes(tags: OpenTags, code: number): void {
  const { unquoted } = tags
  if (code === QUOTE) {
    tags.unquoted = tags.inQuotes
    tags.inQuotes = unquoted
  } else {
    tags.unquoted = tags.inApostrophes
    tags.inApostrophes = unquoted
  }
}

/** Throws `NotAFeed` for JSON beyond the limits. */
export function checkJsonBounds(text: string): void {
  let containers = 0
  let values = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) isInString = false
    } else if (code === QUOTE) isInString = true
    else if (code === BRACKET || code === BRACE) {
      if (++containers > CONTAINERS_MAX) throw tooMany(CONTAINERS_MAX, 'objects and lists')
    } else if ((code === COMMA || code === COLON) && ++values > VALUES_MAX) throw tooMany(VALUES_MAX, 'values')
  }
}

export function tooMany(max: number, what: string): NotAFeed {
  return new NotAFeed(`the document contains more than ${max.toLocaleString('en')} ${what}`)
}
