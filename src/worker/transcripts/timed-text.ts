import type { RawCue } from './cues.ts'

const READ_MAX = 200_000
/** Longer lines with times are hostile. */
const LINE_MAX = 500

const TIME = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?`
const TIMING = new RegExp(String.raw`^\s*${TIME}\s*-->\s*${TIME}(?:\s|$)`)
/** Blocks of WebVTT other than cues. */
const OTHER_BLOCK = /^(?:NOTE|STYLE|REGION)(?:\s|$)/

export function hasTimings(text: string): boolean {
  return text.split('\n').some((line) => line.length <= LINE_MAX && TIMING.test(line))
}

/** The cues of SubRip and WebVTT, which differ little: hours and counters may be missing in both. */
export function readTimedText(text: string): RawCue[] {
  const cues: RawCue[] = []
  let open: { readonly start: number; readonly end: number; readonly lines: string[] } | undefined
  let isSkipping = false
  let isFirst = true

  function close(): void {
    if (open)
      for (const { speaker, text: spoken } of voicesOf(open.lines.join('\n')))
        cues.push({ ...open, speaker, text: spoken })
    open = undefined
  }

  for (const line of linesOf(text)) {
    if (cues.length >= READ_MAX) break
    const timing = line.length <= LINE_MAX && line.includes('-->') ? TIMING.exec(line) : null
    if (line.trim() === '') {
      close()
      isSkipping = false
      isFirst = true
    } else if (isSkipping || (isFirst && OTHER_BLOCK.test(line))) {
      isSkipping = true
    } else if (timing) {
      // Files without empty lines have the number of the next cue there.
      if (open && /^\d+$/.test(open.lines.at(-1)?.trim() ?? '') && open.lines.length > 1) open.lines.pop()
      close()
      const [start, end] = [secondsOf(timing.slice(1, 5)), secondsOf(timing.slice(5, 9))]
      open = { start, end, lines: [] }
      isFirst = false
    } else {
      open?.lines.push(line)
      isFirst = false
    }
  }
  close()
  return cues
}

export function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    yield text.slice(at, end < 0 ? text.length : end)
    at = end < 0 ? text.length : end + 1
  }
}

function secondsOf([hours = '0', minutes = '0', seconds = '0', fraction = '']: readonly string[]): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(fraction.padEnd(3, '0')) / 1000
}

const VOICE = /<v(?:\.[^\s<>]*)?\s([^<>]*)>/gi

/** One cue may hold several voices, `<v Ida>Hello <v Ole>Hello`. */
function voicesOf(text: string): { readonly speaker: string; readonly text: string }[] {
  const voices: { speaker: string; text: string }[] = []
  let speaker = ''
  let from = 0
  for (const { 0: tag, 1: name = '', index } of text.matchAll(VOICE)) {
    voices.push({ speaker, text: text.slice(from, index) })
    speaker = name
    from = index + tag.length
  }
  voices.push({ speaker, text: text.slice(from) })
  return voices
}
