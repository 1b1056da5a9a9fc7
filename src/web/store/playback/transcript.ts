import type { Answer } from '../../api/client.ts'

export type Cue = Answer<'getTranscript'>['cues'][number]

/** Returns the index of the last cue that starts at or before a position; -1 before the first one. */
export function cueAt(cues: readonly Cue[], position: number): number {
  return cues.findLastIndex(({ start }) => start !== null && start <= position)
}

/** Folds case and accents but keeps the length, so that indices of matches also apply to the original. */
export function foldInPlace(text: string): string {
  return text
    .replaceAll(/[^\p{ASCII}]/gu, (character) => {
      const base = character.normalize('NFD')[0]?.toLowerCase() ?? ''
      return base.length === character.length ? base : character
    })
    .toLowerCase()
}

/** Returns the indices of texts that contain `words`, both folded. Empty `words` match nothing. */
export function findCues(folded: readonly string[], words: string): readonly number[] {
  if (words === '') return []
  return folded.flatMap((text, index) => (text.includes(words) ? [index] : []))
}

/** Splits a text into the parts before, in and after the first match of `words`, which must be folded. */
export function splitAt(text: string, words: string): readonly [string, string, string] {
  const at = words === '' ? -1 : foldInPlace(text).indexOf(words)
  if (at < 0) return [text, '', '']
  return [text.slice(0, at), text.slice(at, at + words.length), text.slice(at + words.length)]
}
