import type { UserId } from '../shared/ids.ts'
import type { EpisodeFile, EpisodeFiles, FileAnswer, FileFailure } from './episode-files.ts'

/** A part of a transcript, as plain text. */
export interface Cue {
  /** Seconds; null in a transcript without times. */
  readonly start: number | null
  readonly end: number | null
  /** Name, or '' if unknown. */
  readonly speaker: string
  readonly text: string
}

export type AskedTranscript = EpisodeFile

/** Cues as JSON text, which is sent as it comes from the feed worker. */
export type TranscriptAnswer = FileAnswer<string>

/** Fetches and parses a transcript. Rejects for internal errors. */
export type TranscriptSource = (file: AskedTranscript) => Promise<TranscriptAnswer>

/** `none`: the feed names no transcript. */
export type TranscriptState = 'ready' | 'none' | FileFailure

export function createTranscripts(files: EpisodeFiles<string>) {
  return {
    /** Throws `rate_limited`. */
    async find(
      userId: UserId,
      { transcriptUrl, transcriptType }: { readonly transcriptUrl: string; readonly transcriptType: string },
    ): Promise<{ readonly state: TranscriptState; readonly cues: string }> {
      if (transcriptUrl === '') return { state: 'none', cues: '[]' }
      const answer = await files.get(userId, { url: transcriptUrl, type: transcriptType })
      return answer.kind === 'file' ? { state: 'ready', cues: answer.file } : { state: answer.reason, cues: '[]' }
    },
  }
}
