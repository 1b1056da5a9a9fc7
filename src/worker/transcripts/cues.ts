import type { Cue } from '../../domain/feeds/transcripts.ts'
import { decodeReferences } from '../../platform/html-text.ts'
import { startOf } from '../parse/feed-values.ts'

const CUES_MAX = 20_000
/** Characters in all cues: more than a day of speech. */
const TEXT_MAX = 1024 * 1024
/** Characters of one cue. */
const CUE_MAX = 1000
const SPEAKER_MAX = 100

/** Times in seconds. Texts still have their markup. */
export interface RawCue {
  readonly start: number | undefined
  readonly end: number | undefined
  readonly speaker: string
  readonly text: string
}

const TAG = /<\/?[a-z][^<>]*>|<[\d:.]+>|<!--[^<>]*-->/gi
const LESS_THAN = /<+/g
const TAG_NAME_START = /[a-z/!?]/i

/** Returns plain text from any source: replaces a remaining `<` that looks like a tag. Linear time. */
export function plainText(markup: string): string {
  return decodeReferences(markup.replaceAll(TAG, ' '))
    .replaceAll(LESS_THAN, (run, at: number, whole: string) =>
      TAG_NAME_START.test(whole.charAt(at + run.length)) ? '‹' : run,
    )
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Prepares cues for display: plain text, sorted by time, of readable length, up to the limit on their number. */
export function finishCues(raw: readonly RawCue[]): Cue[] {
  const isTimed = raw.some(({ start }) => start !== undefined)
  const cues = raw.flatMap(cleanCue)
  const sorted = isTimed ? sortByTime(cues) : cues
  let room = TEXT_MAX
  return joined(sorted)
    .slice(0, CUES_MAX)
    .filter(({ text, speaker }) => {
      room -= text.length + speaker.length
      return room >= 0
    })
}

function cleanCue({ start, end, speaker, text }: RawCue): Cue[] {
  const from = start === undefined ? null : milliseconds(start)
  const to = from === null || end === undefined ? null : Math.max(from, milliseconds(end))
  const who = startOf(plainText(speaker.slice(0, 10 * SPEAKER_MAX)), SPEAKER_MAX)
  return pieces(plainText(text)).map((each) => ({ start: from, end: to, speaker: who, text: each }))
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

/** Sorts by time. Paragraphs without a time stay after their predecessor. */
function sortByTime(cues: readonly Cue[]): Cue[] {
  let time = 0
  return cues
    .map((cue) => {
      time = cue.start ?? time
      return { cue, time }
    })
    .toSorted((one, other) => one.time - other.time)
    .map(({ cue }) => cue)
}

/** Splits a long text at the end of a sentence, or else of a word. */
function pieces(text: string): string[] {
  const found: string[] = []
  let rest = text
  while (rest.length > CUE_MAX) {
    const part = startOf(rest, CUE_MAX)
    const end = lastEnd(part)
    found.push(part.slice(0, end).trim())
    rest = rest.slice(end).trimStart()
  }
  if (rest !== '') found.push(rest)
  return found
}

function lastEnd(part: string): number {
  const sentence = Math.max(...['. ', '? ', '! ', '。', '！', '？'].map((end) => part.lastIndexOf(end))) + 1
  const word = part.lastIndexOf(' ') + 1
  return sentence > CUE_MAX / 2 ? sentence : word > CUE_MAX / 2 ? word : part.length
}

/** Characters up to which sentences, and parts of one, are joined. */
const JOINED_MAX = 80
const SPLIT_ABOVE = 300
/** Seconds of silence that end a cue. */
const PAUSE_SECONDS = 2

/** Joins cues shorter than a sentence, such as captions of two lines and single words. Keeps cues without times. */
function joined(cues: readonly Cue[]): Cue[] {
  const result: Cue[] = []
  for (const cue of cues) {
    const last = result.at(-1)
    if (last && continues(last, cue))
      result[result.length - 1] = { ...last, end: cue.end, text: glue(last.text, cue.text) }
    else result.push(cue)
  }
  return result
}

function continues(last: Cue, { start, end, speaker, text }: Cue): boolean {
  if (last.end === null || start === null || end === null) return false
  if (speaker !== last.speaker || start - last.end > PAUSE_SECONDS || last.text.length + text.length > SPLIT_ABOVE)
    return false
  return last.text.length < JOINED_MAX || !/[.!?…。！？]["'”’»)\]]?$/.test(last.text.slice(-2))
}

const WITHOUT_SPACES = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u

function glue(one: string, other: string): string {
  const isTight = /^[,.;:!?…%)\]}”]/.test(other) || (WITHOUT_SPACES.test(one.slice(-1)) && WITHOUT_SPACES.test(other))
  return isTight ? one + other : `${one} ${other}`
}
