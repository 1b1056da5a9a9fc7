import { chapterStart } from '../parse/feed-values.ts'
import { plainText, type RawCue } from './cues.ts'
import { linesOf } from './timed-text.ts'

const READ_MAX = 200_000

/** Markup and elements whose content is not meant for readers. */
const HIDDEN =
  /<(script|style|head|title|noscript|template|iframe|object|svg|math|textarea|select|nav)\b[^<>]*>.*?(?:<\/\1\s*>|$)|<!--.*?(?:-->|$)|<[!?][^<>]*>/gis
const TAG = /<(\/?)([a-z][a-z\d]*)\b[^<>]*>/gi
const INLINE: ReadonlySet<string> = new Set([
  'a',
  'abbr',
  'b',
  'code',
  'em',
  'font',
  'i',
  'mark',
  'q',
  's',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'u',
  'wbr',
])

/** Reads paragraphs of HTML: `<cite>` names the speaker and `<time>` the time of the text that follows. */
export function readHtml(html: string): RawCue[] {
  const text = html.replaceAll(HIDDEN, ' ')
  const cues: RawCue[] = []
  let speaker = ''
  let start: number | undefined
  let paragraph = ''
  let from = 0

  function close(): void {
    if (paragraph.trim() === '') return
    cues.push({ start, end: undefined, speaker, text: paragraph })
    paragraph = ''
    start = undefined
  }

  for (const { 0: tag, 1: slash, 2: written = '', index } of text.matchAll(TAG)) {
    if (cues.length >= READ_MAX) return cues
    const name = written.toLowerCase()
    const before = text.slice(from, index)
    from = index + tag.length
    const isEnd = slash === '/'
    const time = isEnd && name === 'time' ? startOf(before) : undefined
    if (isEnd && name === 'cite' && plainText(before) !== '') speaker = withoutColon(before)
    else if (time !== undefined) start = time
    else paragraph += before
    if (!INLINE.has(name) && !(isEnd && (name === 'cite' || name === 'time'))) close()
  }
  paragraph += text.slice(from)
  close()
  return cues
}

/** Paragraphs of plain text, which may begin with a time. Without empty lines each line is one. */
export function readPlainText(text: string): RawCue[] {
  const cues: RawCue[] = []
  const hasEmptyLines = /\n[^\S\n]*\n/.test(text.trim())
  let lines: string[] = []

  function close(): void {
    const paragraph = lines.join('\n')
    lines = []
    if (paragraph.trim() === '') return
    const [, time = '', rest = ''] = LEADING_TIME.exec(paragraph) ?? []
    const start = startOf(time)
    cues.push({ start, end: undefined, speaker: '', text: start === undefined ? paragraph : rest })
  }

  for (const line of linesOf(text)) {
    if (cues.length >= READ_MAX) break
    if (!hasEmptyLines || line.trim() === '') close()
    lines.push(line)
  }
  close()
  return cues
}

const LEADING_TIME = /^\s{0,20}[[(]?(\d{1,3}(?::\d{2}){1,2}(?:[.,]\d{1,3})?)[\])]?\s(.*)$/s

function startOf(text: string): number | undefined {
  const time = plainText(text.slice(0, 100)).replaceAll(/^[[(]|[\])]$/g, '')
  return time.includes(':') ? chapterStart(time) : undefined
}

function withoutColon(name: string): string {
  return plainText(name.slice(0, 1000)).replace(/\s*:$/, '')
}
