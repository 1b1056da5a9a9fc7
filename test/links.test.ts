import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '..')

const documents = [
  ...readdirSync(ROOT),
  ...['docs', 'deploy', 'src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ),
]
  .filter((path) => path.endsWith('.md'))
  .map((path) => join(ROOT, path))

/** Code may hold what looks like a link. */
const withoutCode = (text: string): string => text.replaceAll(/```.*?```/gs, '').replaceAll(/`[^`\n]*`/g, '')

/** Where links may lead inside of a document: its own anchors, and its headings by the names that GitHub gives them. */
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

/** What is wrong with a link; undefined for a link that works or leads to another site. */
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

test('the documents link to each other', () => {
  expect(documents.length).toBeGreaterThan(10)
})

test.each(documents.map((path) => [relative(ROOT, path), path]))('every link in %s leads somewhere', (_, path) => {
  const broken = linksOf(withoutCode(readFileSync(path, 'utf8'))).flatMap((link) => {
    const wrong = fault(path, link)
    return wrong === undefined ? [] : [`${link}: ${wrong}`]
  })
  expect(broken).toEqual([])
})
