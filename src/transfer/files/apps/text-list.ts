import { DomainError } from '../../../domain/shared/errors.ts'
import { sanitizeUrl } from '../../../domain/shared/feed-url.ts'
import type { ImportSource } from '../../../domain/transfer/records.ts'
import { copyOf, isTooLongForAddress } from '../../texts.ts'
import { createFeedBatch, createSkipped } from './history.ts'
import { LIST, type ListFile, openList, textOf } from './list-file.ts'

const LINES_MAX = 200_000

const NO_TEXT = /[^\P{Cc}\t\n\v\f\r\u0085]/u

/** Whether a text that starts like this may be a list of addresses, one per line (docs/protocol.md#D8). */
export function isTextList(head: string): boolean {
  if (NO_TEXT.test(head)) return false
  const entries = head.split(/\r\n?|\n/).filter(isEntry)
  return (entries.length === 0 && /^\s*#/.test(head)) || entries.some((line) => sanitizeUrl(line) !== undefined)
}

export function openTextList(path: string, name: string): ImportSource {
  return openList(path, name, async function* (file) {
    yield { record: { kind: 'device', ...LIST } }
    const feeds = createFeedBatch(LIST.id)
    const skipped = createSkipped()
    for await (const line of linesOf(file)) {
      if (isTooLongForAddress(line)) skipped.add('subscriptions', 'the address is too long', line)
      else if (sanitizeUrl(line) === undefined) skipped.add('subscriptions', 'the line is no address of a feed', line)
      else yield* feeds.add({ url: copyOf(line) })
    }
    yield* feeds.flush()
    yield* skipped.records()
  })
}

async function* linesOf(file: ListFile): AsyncGenerator<string> {
  let rest = ''
  let count = 0
  for await (const text of textOf(file)) {
    if (NO_TEXT.test(text)) throw new DomainError('validation_failed', 'the file is not text')
    const lines = (rest + text).split(/\r\n?|\n/)
    rest = lines.pop() ?? ''
    if (isTooLongForAddress(rest.trim())) rest = rest.trim().slice(0, LINE_KEPT)
    count += lines.length
    if (count > LINES_MAX) throw new DomainError('validation_failed', `the list has more than ${LINES_MAX} lines`)
    for (const line of lines) if (isEntry(line)) yield line.trim()
  }
  if (isEntry(rest)) yield rest.trim()
}

const LINE_KEPT = 8192

function isEntry(line: string): boolean {
  const text = line.trim()
  return text !== '' && !text.startsWith('#')
}
