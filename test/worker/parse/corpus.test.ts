import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotAFeed } from '../../../src/domain/feeds/document.ts'
import { parseFeed } from '../../../src/worker/parse/parse-feed.ts'

const FOLDER = join(import.meta.dir, 'corpus')

const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 100 }

/** The Content-Type a file came with, where that matters; the others came with none. */
const SERVED_AS: Readonly<Record<string, string>> = {
  'charset-http-only-windows-1251.bin': 'text/xml; charset=windows-1251',
  'charset-http-against-declaration.bin': 'application/rss+xml; charset="KOI8-R"',
  'charset-http-wrong-utf-8.bin': 'text/xml; charset=utf-8',
  'charset-http-wrong-latin1.xml': 'text/xml;charset=ISO-8859-1',
  'charset-http-unknown.xml': 'text/xml; charset=klingon',
}

const files = readdirSync(FOLDER).toSorted()
const feeds = files.filter((name) => !name.endsWith('.expected.json'))

function outcome(name: string): unknown {
  try {
    return stated(parseFeed(readFileSync(join(FOLDER, name)), SERVED_AS[name] ?? '', OPTIONS))
  } catch (error) {
    if (error instanceof NotAFeed) return { notAFeed: error.message }
    throw error
  }
}

/** Without what is empty, which an expectation leaves out: `''`, `false`, unknown and no tags. */
function stated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stated)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => ![undefined, '', false].includes(each))
  return Object.fromEntries(entries.flatMap(([key, each]) => (isEmptyList(each) ? [] : [[key, stated(each)]])))
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

test.each(feeds)('a feed of the corpus is read as expected: %s', (name) => {
  const expected: unknown = JSON.parse(readFileSync(join(FOLDER, `${name}.expected.json`), 'utf8'))
  expect(outcome(name)).toEqual(expected)
})

test('the corpus has at least sixty feeds, and no expectation and no type without its feed', () => {
  expect(feeds.length).toBeGreaterThanOrEqual(60)
  const named = [...files.map((name) => name.replace(/\.expected\.json$/, '')), ...Object.keys(SERVED_AS)]
  expect(named.filter((name) => !feeds.includes(name))).toEqual([])
})
