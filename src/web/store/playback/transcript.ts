import type { Answer } from '../../api/client.ts'

export type Cue = Answer<'getTranscript'>['cues'][number]

/** The index of the cue that is spoken at a position, or was the last before it; -1 before the first one. */
export function cueAt(cues: readonly Cue[], position: number): number {
  return cues.findLastIndex(({ start }) => start !== null && start <= position)
}

/** Without case and accents, but as long as the text, so that what is found has the same place in both. */
export function foldInPlace(text: string): string {
  return text
    .replaceAll(/[^\p{ASCII}]/gu, (character) => {
      const base = character.normalize('NFD')[0]?.toLowerCase() ?? ''
      return base.length === character.length ? base : character
    })
    .toLowerCase()
}

/** Indices of the texts that hold `words`, all of which are folded; none for nothing. */
export function findCues(folded: readonly string[], words: string): readonly number[] {
  if (words === '') return []
  return folded.flatMap((text, index) => (text.includes(words) ? [index] : []))
}

/** The text in three parts, of which the second is what was looked for; '' where it is not there. */
export function splitAt(text: string, words: string): readonly [string, string, string] {
  const at = words === '' ? -1 : foldInPlace(text).indexOf(words)
  if (at < 0) return [text, '', '']
  return [text.slice(0, at), text.slice(at, at + words.length), text.slice(at + words.length)]
}
