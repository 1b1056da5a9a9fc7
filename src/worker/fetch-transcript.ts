import type { AskedTranscript, TranscriptAnswer } from '../domain/feeds/transcripts.ts'
import { FetchFailure } from '../outbound/fetch-failure.ts'
import { type GuardedFetch, isSuccess } from '../outbound/guarded-fetch.ts'
import { parseTranscript } from './transcripts/transcript-file.ts'

const LIMITS = { totalMs: 15_000, answerMs: 8000, maxBytes: 4 * 1024 * 1024 }
const ACCEPT = 'text/vtt, application/x-subrip, application/json, text/html;q=0.8, text/plain;q=0.8, */*;q=0.5'

/** Fetches and parses a transcript. `begin` is called before it is parsed. */
export async function fetchTranscript(
  fetcher: GuardedFetch,
  { url, type }: AskedTranscript,
  begin: () => void,
): Promise<TranscriptAnswer> {
  try {
    const { status, headers, body } = await fetcher.fetch({
      url,
      headers: { accept: ACCEPT },
      limits: LIMITS,
      mayReachPrivate: true,
    })
    if (!isSuccess(status)) return { kind: 'failed', reason: 'unavailable' }
    begin()
    const cues = parseTranscript({ bytes: body, contentType: headers.get('content-type') ?? '', type })
    if (cues.length === 0) return { kind: 'failed', reason: 'unreadable' }
    const file = JSON.stringify(cues)
    return { kind: 'file', file, size: 2 * file.length }
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    return { kind: 'failed', reason: error.reason === 'too_large' ? 'too_large' : 'unavailable' }
  }
}
