import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Chapter, picturedAt } from '../../../src/web/store/playback/chapters.ts'
import { type Cue, cueAt, findCues, foldInPlace, splitAt } from '../../../src/web/store/playback/transcript.ts'

const cue = (start: number | null, text = 'x'): Cue => ({ start, end: null, speaker: '', text })

describe('the current cue', () => {
  const cues = [cue(null), cue(2), cue(null), cue(5), cue(5)]
  test.each([
    [0, -1],
    [2, 1],
    [4.9, 1],
    [5, 4],
    [900, 4],
  ])('at second %p is number %i', (position, index) => {
    expect(cueAt(cues, position)).toBe(index)
  })
})

describe('words in a transcript', () => {
  test.each([
    ['Fog over the Élan', 'elan', ['Fog over the ', 'Élan', '']],
    ['ÜBERMORGEN', 'uber', ['', 'ÜBER', 'MORGEN']],
    ['Straße', 'stras', ['Straße', '', '']],
    ['Fog', '', ['Fog', '', '']],
    ['\u{1F32B} fog', 'fog', ['\u{1F32B} ', 'fog', '']],
  ])('%j is split at %j', (text, words, parts) => {
    expect(splitAt(text, foldInPlace(words))).toEqual(parts as never)
  })

  test('folding keeps the length of the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => foldInPlace(text).length === text.length))
  })

  test('are found by cue, and not without a search', () => {
    const folded = ['fog and fog', 'gulls', 'fog']
    expect([findCues(folded, 'fog'), findCues(folded, 'tide'), findCues(folded, '')]).toEqual([[0, 2], [], []])
  })
})

test('the picture of a chapter is shown while it plays, even during a chapter of the user', () => {
  const chapters: Chapter[] = [
    { start: 0, title: 'a', has_picture: false },
    { start: 10, title: 'b', has_picture: true },
    { start: 12, end: 14, title: 'mine' },
    { start: 20, title: 'c' },
  ]
  const shown = [5, 10, 13, 25].map((position) => picturedAt(chapters, 'e', position)?.start)
  expect(shown).toEqual([undefined, 10, 10, undefined])
})
