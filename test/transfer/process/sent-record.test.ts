import { describe, expect, test } from 'bun:test'
import { parseExactly } from '../../../src/domain/shared/exact-json.ts'
import type { ImportRecord } from '../../../src/domain/transfer/records.ts'
import type { SentRecord } from '../../../src/transfer/process/protocol.ts'
import { receivedRecord, sentRecord } from '../../../src/transfer/process/sent-record.ts'

const LONG = 'x'.repeat(10_000_000)

function settings(json: string): ImportRecord {
  const values = parseExactly(json)
  return { kind: 'settings', scope: 'account', values: Object.fromEntries(Object.entries(values ?? {})) }
}

describe('a record', () => {
  const RECORDS: readonly ImportRecord[] = [
    { kind: 'device', id: 'phone', caption: undefined, type: 'mobile', lastSeenAt: 5 },
    { kind: 'feeds', device: 'phone', feeds: [{ url: 'https://a.example/f', title: 'Fog', at: 0 }] },
    { kind: 'sync_group', devices: ['phone', 'tablet'] },
    { kind: 'podcast_list', title: 'Fog', urls: Array.from({ length: 20_000 }, (_, n) => `https://a.example/${n}`) },
    { kind: 'actions', actions: [{ podcast: 'p', episode: 'e', device: undefined, kind: 'play', at: 5, position: 5 }] },
    { kind: 'skipped', what: 'titles', reason: 'why', count: 3, examples: ['a'] },
    { kind: 'progress', done: 4, total: undefined },
  ]
  test.each(RECORDS)('is received as it was sent (%#)', (record) => {
    expect(receivedRecord(structuredClone(sentRecord(record)))).toEqual(record)
  })

  test('of settings keeps numbers exactly, and names such as __proto__', () => {
    const json = '{"a":1.0,"b":12345678901234567890,"__proto__":1e400}'
    const received = receivedRecord(structuredClone(sentRecord(settings(json))))
    expect(received.kind === 'settings' && JSON.stringify(received.values)).toBe(json)
  })

  test('of the longest possible addresses is received unchanged', () => {
    const url = `https://feeds.example/${'x'.repeat(2026)}`
    const action = { podcast: url, episode: url, guid: 'x'.repeat(2048), kind: 'play', at: 5 } as const
    const record: ImportRecord = { kind: 'actions', actions: Array.from({ length: 500 }, () => action) }
    expect(receivedRecord(sentRecord(record))).toEqual(record)
  })

  test.each<[string, ImportRecord]>([
    ['settings', settings(`{"a":"${'x'.repeat(70_000)}"}`)],
    ['settings', settings(`{"a":[${'1.0,'.repeat(1001)}1]}`)],
    ['podcast_lists', { kind: 'podcast_list', title: 'Fog', urls: Array(3000).fill('x'.repeat(2000)) }],
    ['sync_groups', { kind: 'sync_group', devices: Array(500_000).fill('') }],
  ])('that would take the server long is skipped (%s, %#)', (what, record) => {
    expect(sentRecord(record)).toEqual({ kind: 'skipped', what, reason: 'too long' } as SentRecord)
  })

  const LONG_TEXTS: readonly ImportRecord[] = [
    { kind: 'device', id: LONG, caption: LONG },
    { kind: 'feeds', device: 'phone', feeds: [{ url: LONG, title: LONG }] },
    { kind: 'settings', scope: 'podcast', podcast: LONG, values: {} },
    { kind: 'favorite', podcast: LONG, episode: LONG },
    { kind: 'podcast_list', title: LONG, urls: [LONG] },
    { kind: 'title', podcast: LONG, title: LONG },
    { kind: 'skipped', what: 'titles', reason: LONG, examples: [LONG] },
  ]
  test.each(LONG_TEXTS)('has its long texts cut (%#)', (record) => {
    const sent = sentRecord(record)
    expect(sent.kind).toBe(record.kind)
    expect(JSON.stringify(sent).length).toBeLessThan(10_000)
  })
})
