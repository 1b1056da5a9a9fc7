import type { Cue } from '../../domain/feeds/transcripts.ts'
import { decodeText } from '../../platform/decode-text.ts'
import { documentWithoutControls } from '../parse/feed-values.ts'
import { finishCues, type RawCue } from './cues.ts'
import { readHtml, readPlainText } from './paragraphs.ts'
import { readSegments } from './segments.ts'
import { hasTimings, readTimedText } from './timed-text.ts'

/** Characters at the beginning that determine the format. */
const BEGINNING = 4096
const TIMED_TYPE = /(?:vtt|srt|subrip|json)$/
const HTML_START = /^(?:<!doctype|<html|<body|<p\b|<div|<cite|<time|<h[1-6])/i
/** Characters that do not occur in text. */
const NO_TEXT = /[[\p{Cc}\ufffd]--\s]/gv

export interface TranscriptFile {
  readonly bytes: Uint8Array
  /** Content-Type of the response. */
  readonly contentType: string
  /** MIME type that the feed names, or ''. */
  readonly type: string
}

/** Reads the cues of a transcript in any format; empty if it is none. Linear time, bounded, never throws. */
export function parseTranscript({ bytes, contentType, type }: TranscriptFile): Cue[] {
  const decoded = decodeText(bytes, contentType)
  if (isBinary(decoded)) return []
  const text = documentWithoutControls(decoded).replaceAll(/\r\n?/g, '\n').trimStart()
  return finishCues(read(text, type || (contentType.split(';', 1)[0] ?? '')))
}

function read(text: string, type: string): RawCue[] {
  const beginning = text.slice(0, BEGINNING)
  // Prefer the content to the type: servers send all formats as plain text.
  if (/^WEBVTT\b/.test(beginning) || hasTimings(beginning)) return readTimedText(text)
  if (/^(?:\{|\[\s*\{)/.test(beginning) && !/html|plain/.test(type)) return readSegments(text)
  // A page in place of captions is an error, or asks for a password.
  if (TIMED_TYPE.test(type)) return []
  return /html/.test(type) || HTML_START.test(beginning) ? readHtml(text) : readPlainText(text)
}

function isBinary(text: string): boolean {
  const sample = text.slice(0, BEGINNING)
  return (sample.match(NO_TEXT)?.length ?? 0) > sample.length / 50
}
