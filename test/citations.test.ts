import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '..')

const protocol = readFileSync(join(ROOT, 'docs/protocol.md'), 'utf8')

/** What a link into the document may name: its own anchors, and its headings as they are shown on the web. */
const anchors = new Set([
  ...[...protocol.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id),
  ...[...protocol.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  ),
])

function linesOf(folder: string, suffix: RegExp): { place: string; text: string }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => suffix.test(path))
    .flatMap((path) =>
      readFileSync(join(ROOT, folder, path), 'utf8')
        .split('\n')
        .map((text, index) => ({ place: `${folder}/${path}:${index + 1}`, text })),
    )
}

const lines = [...linesOf('src', /\.tsx?$/), ...linesOf('test', /\.tsx?$/), ...linesOf('docs', /\.md$/)].filter(
  ({ place }) => !place.startsWith('test/citations.test.ts'),
)

test('every link into docs/protocol.md leads somewhere', () => {
  const dead = lines.flatMap(({ place, text }) =>
    [...text.matchAll(/protocol\.md#([\w-]+)/g)].flatMap(([, id = '']) => (anchors.has(id) ? [] : `${place}: #${id}`)),
  )
  expect(dead).toEqual([])
})

test('every decision that the code names is in docs/protocol.md', () => {
  const unknown = lines.flatMap(({ place, text }) =>
    [...text.matchAll(/(?<![\w#])D\d{1,2}[a-e]?\b/g)].flatMap(([id]) => (anchors.has(id) ? [] : `${place}: ${id}`)),
  )
  expect(unknown).toEqual([])
})

test('nothing cites a document that is not in the repository', () => {
  const cited = lines.filter(({ text }) =>
    /interface specification|interface-spec|(?<![\w/])protocol\.md (?:section|\d|D\d)/.test(text),
  )
  expect(cited.map(({ place }) => place)).toEqual([])
})
