import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '..')

/** Files in a folder whose names match, as paths from the root. */
const filesIn = (folder: string, suffix: RegExp): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => suffix.test(path))
    .map((path) => join(folder, path))
const documents = [
  ...readdirSync(ROOT).filter((path) => path.endsWith('.md')),
  ...['docs', 'deploy', 'src'].flatMap((folder) => filesIn(folder, /\.md$/)),
].map((path) => join(ROOT, path))

/** Code may contain text that looks like a link. */
const withoutCode = (text: string): string => text.replaceAll(/```.*?```/gs, '').replaceAll(/`[^`\n]*`/g, '')

/** Targets of links within a document: its anchors, and its headings by the names that GitHub gives them. */
function anchorsOf(path: string): Set<string> {
  const text = readFileSync(path, 'utf8').replaceAll(/```.*?```/gs, '')
  const named = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...named, ...headings])
}

/** Why a link is broken; `undefined` if it works or leads to another site. */
function fault(from: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined
  const [path = '', anchor] = link.split('#', 2)
  const target = path === '' ? from : resolve(dirname(from), decodeURIComponent(path))
  if (!existsSync(target)) return 'no such file'
  if (anchor === undefined || !target.endsWith('.md') || !statSync(target).isFile()) return undefined
  return anchorsOf(target).has(anchor) ? undefined : 'no such heading or anchor'
}

function linksOf(text: string): string[] {
  const inMarkdown = [...text.matchAll(/\]\(([^()\s]+)\)/g)]
  const inHtml = [...text.matchAll(/(?:src|href)="([^"]+)"/g)]
  return [...inMarkdown, ...inHtml].map(([, link = '']) => link)
}

test.each(documents.map((path) => [relative(ROOT, path), path]))('every link in %s works', (_, path) => {
  const broken = linksOf(withoutCode(readFileSync(path, 'utf8'))).flatMap((link) => {
    const wrong = fault(path, link)
    return wrong === undefined ? [] : [`${link}: ${wrong}`]
  })
  expect(broken).toEqual([])
})

describe('citations in code and documents', () => {
  const anchors = anchorsOf(join(ROOT, 'docs/protocol.md'))
  const lines = [...filesIn('src', /\.tsx?$/), ...filesIn('test', /\.tsx?$/), ...filesIn('docs', /\.md$/)]
    .filter((path) => path !== relative(ROOT, import.meta.path))
    .flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .map((text, index) => ({ place: `${path}:${index + 1}`, text })),
    )
  const citations = (pattern: RegExp) =>
    lines.flatMap(({ place, text }) => [...text.matchAll(pattern)].map(([, id = '']) => ({ place, id })))

  test.each([
    ['the sections of docs/protocol.md', /protocol\.md#([\w-]+)/g],
    ['the decisions of docs/protocol.md', /(?<![\w#])(D\d{1,2}[a-e]?)\b/g],
  ])('lead to existing targets: %s', (_what, pattern) => {
    expect(citations(pattern).filter(({ id }) => !anchors.has(id))).toEqual([])
    expect(citations(pattern).length).toBeGreaterThan(10)
  })

  test('name only documents in the repository', () => {
    const foreign = /(interface specification|interface-spec|(?<![\w/])protocol\.md (?:section|\d|D\d))/g
    expect(citations(foreign)).toEqual([])
  })
})
