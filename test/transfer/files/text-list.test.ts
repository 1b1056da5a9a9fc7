import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { findFileKind } from '../../../src/transfer/files/kinds.ts'
import { openFile } from '../../../src/transfer/files/open-file.ts'
import { fileOf } from './database-files.ts'

const A = 'https://tidewater.example/a'
const B = 'https://tidewater.example/b'

async function read(bytes: Uint8Array) {
  const { path } = fileOf(bytes)
  const source = openFile({ kind: await findFileKind(path), path, name: 'a file' }, () => 0)
  const feeds: string[] = []
  const skipped: unknown[] = []
  for await (const { record } of source.records(undefined, new AbortController().signal)) {
    if (record.kind === 'feeds') feeds.push(...record.feeds.map(({ url }) => url))
    if (record.kind === 'skipped') skipped.push([record.count, ...(record.examples ?? [])])
  }
  return { feeds, skipped }
}

const opml = `<opml><body><outline xmlUrl="${A}"/><outline xmlUrl="${B}"/></body></opml>`
test.each<[string, string | Uint8Array]>([
  ['lines', `${A}\n${B}\n`],
  ['a byte order mark, CRLF, blank lines and comments', `\ufeff# mine\r\n\r\n  ${A}\r\n#${A}/c\r\n${B}`],
  ['CR as line ends', `${A}\r${B}\r`],
  ['UTF-16', new Uint8Array(Buffer.from(`\ufeff${A}\n${B}`, 'utf16le'))],
  ['many comments first', `${'# a comment\n'.repeat(1000)}${A}\n${B}`],
  ['lines packed by gzip', gzipSync(`${A}\n${B}\n`)],
  ['OPML packed by gzip', gzipSync(opml)],
])('a list is read: %s', async (_case, content) => {
  expect(await read(Buffer.from(content))).toEqual({ feeds: [A, B], skipped: [] })
})

test('lines that are not addresses are skipped', async () => {
  const long = `${A}/${'x'.repeat(70_000)}`
  expect(await read(Buffer.from(`My podcasts\n${A}\n${long}\n${B}`))).toMatchObject({
    feeds: [A, B],
    skipped: [
      [1, 'My podcasts'],
      [1, expect.stringContaining(A)],
    ],
  })
})

const packed = gzipSync(opml)
const huge = Buffer.alloc(65 * 1024 * 1024, `${A}${' '.repeat(4000)}\n`)
test.each<[string, Uint8Array, string | RegExp]>([
  ['an empty file', Buffer.alloc(0), 'the file is empty'],
  ['a letter', Buffer.from('Dear Ida,\nthis is no list.'), /file cannot be imported/],
  ['a list in JSON', Buffer.from('[{"url":"https://a.example"}]'), /file cannot be imported/],
  ['JSON of another format', Buffer.from('{"format":"something else","version":1}'), /file cannot be imported/],
  ['a web page', Buffer.from('<html><body>Not found</body></html>'), /file cannot be imported/],
  ['white space', Buffer.from(' '.repeat(10_000)), /file cannot be imported/],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), /file cannot be imported/],
  ['a list followed by binary data', Buffer.from(`${`${A}\n`.repeat(1000)}\0`), 'the file is not text'],
  ['too many lines', Buffer.from(`${A}\n`.repeat(200_001)), /more than 200000 lines/],
  ['a compressed picture', gzipSync('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), /file cannot be imported/],
  ['a truncated gzip file', packed.subarray(0, packed.length - 12), /the gzip file is damaged/],
  ['a gzip file with a wrong checksum', Buffer.from(packed).fill(1, packed.length - 8), /the gzip file is damaged/],
  ['a gzip file without content', gzipSync(''), 'the file is empty'],
  ['a huge gzip file', gzipSync(huge), /larger than 64 MiB/],
])('%s is refused', async (_what, bytes, message) => {
  await expect(read(bytes)).rejects.toThrow(message)
})
