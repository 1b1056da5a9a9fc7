import { describe, expect, test } from 'bun:test'
import { PREVIEW_MAX, previewFeeds } from '../../../src/domain/transfer/preview.ts'
import { type ImportRecord, retarget } from '../../../src/domain/transfer/records.ts'
import { scriptedSource } from './import-scene.ts'

const feeds = (...urls: readonly string[]): ImportRecord => ({
  ...{ kind: 'feeds', device: 'opml' },
  feeds: urls.map((url) => ({ url, title: 'Harbour' })),
})

const preview = (records: readonly ImportRecord[], held: readonly string[] = []) =>
  previewFeeds(
    scriptedSource(records).records(undefined, new AbortController().signal),
    async (urls) => new Set(held.filter((url) => urls.includes(url))),
  )

describe('the preview of an import', () => {
  test.each([
    ['feed://A.example/f', 'new', 'http://a.example/f'],
    ['https://ida:pw@a.example/f', 'new', 'https://a.example/f'],
    ['HTTPS://Have.example/f', 'known', 'https://have.example/f'],
    ['ftp://a.example/f', 'invalid', 'ftp://a.example/f'],
  ] as const)('%p is %s', async (address, state, url) => {
    const { podcasts } = await preview([feeds(address)], ['https://have.example/f'])
    expect(podcasts).toEqual([{ state, url, title: 'Harbour' }])
  })

  test('finds duplicates by the address that would be stored, in other records as well', async () => {
    const { podcasts, counts } = await preview(
      [
        feeds('https://a.example/f', 'https://A.example/f', 'https://have.example/f'),
        feeds('https://have.example/f', 'https://a.example/f', 'x', 'x'),
      ],
      ['https://have.example/f'],
    )
    expect(podcasts.map(({ state }) => state).join(' ')).toBe('new duplicate known duplicate duplicate invalid invalid')
    expect(counts).toEqual({ new: 1, known: 1, duplicate: 3, invalid: 2 })
  })

  test('counts what the source left out, and says that the file is damaged', async () => {
    const left = { kind: 'skipped', what: 'subscriptions' } as const
    const { podcasts, counts, isDamaged } = await preview([
      { ...left, reason: 'the line is no address of a feed', count: 7, examples: ['Dear Ida,'] },
      { ...left, reason: 'the line is damaged; its readable part was imported', count: 1, examples: ['line 3'] },
      { kind: 'skipped', what: 'settings', reason: 'too long', count: 1 },
    ])
    expect(podcasts).toEqual([{ state: 'invalid', url: 'Dear Ida,', title: '' }])
    expect(counts.invalid).toBe(7)
    expect(isDamaged).toBe(true)
  })

  test('lists the folders', async () => {
    const folder = { kind: 'folder', name: 'On the way to work', podcasts: ['https://a.example/f'] } as const
    expect(await preview([feeds('https://a.example/f'), folder])).toMatchObject({ folders: ['On the way to work'] })
  })

  test('ends where it has read enough, and says so', async () => {
    const many = Array.from({ length: PREVIEW_MAX / 500 + 1 }, (_, batch) =>
      feeds(...Array.from({ length: 500 }, (__, n) => `https://many.example/${batch}/${n}`)),
    )
    const { podcasts, hasMore } = await preview(many)
    expect([podcasts.length, hasMore]).toEqual([PREVIEW_MAX, true])
    expect((await preview(many.slice(1))).hasMore).toBe(false)
  })
})

test('podcasts of a list go to the selected device, podcasts of an app stay on its own', () => {
  const target = { id: 'phone', caption: 'Phone' }
  const list = { kind: 'device', id: 'opml', caption: 'OPML', type: 'other' } as const
  expect(retarget(list, target)).toEqual({ ...list, id: 'phone', caption: 'Phone' })
  expect(retarget(feeds('x'), target)).toMatchObject({ device: 'phone' })
  const overcast = { kind: 'feeds', device: 'overcast', feeds: [] } as const
  expect(retarget(overcast, target)).toBe(overcast)
  expect(retarget(list, undefined)).toBe(list)
})
