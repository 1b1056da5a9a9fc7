import { isRecord } from '../../platform/unknown.ts'
import { checkJsonBounds } from '../parse/document-bounds.ts'
import type { RawCue } from './cues.ts'

const READ_MAX = 200_000
const SECONDS_MAX = 1e7

/** Segments of the podcast namespace, `{"segments":[{"startTime","endTime","speaker","body"}]}`, or as Whisper names them. */
export function readSegments(text: string): RawCue[] {
  const cues = listIn(text)
    .slice(0, READ_MAX)
    .flatMap((each): RawCue[] => {
      if (!isRecord(each)) return []
      const body = each['body'] ?? each['text']
      const speaker = each['speaker']
      if (typeof body !== 'string') return []
      return [
        {
          start: timeOf(each['startTime'] ?? each['start']),
          end: timeOf(each['endTime'] ?? each['end']),
          speaker: typeof speaker === 'string' ? speaker : '',
          text: body,
        },
      ]
    })
  // Some files have only the start of each word.
  return cues.map((cue, n) => ({ ...cue, end: cue.end ?? cues[n + 1]?.start }))
}

function listIn(text: string): readonly unknown[] {
  try {
    checkJsonBounds(text)
    const file: unknown = JSON.parse(text)
    const list = isRecord(file) ? file['segments'] : file
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

function timeOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= SECONDS_MAX ? value : undefined
}
