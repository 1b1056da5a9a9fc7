import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lateModules } from '../../scripts/web-chunks.ts'

const ROOT = resolve(import.meta.dir, '../..')
const STYLES = join(ROOT, 'src/web/styles')

/** The classes for which a file of styles, with those that it imports, has rules. */
function classesIn(name: string): ReadonlySet<string> {
  const text = readFileSync(join(STYLES, name), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
  const imported = [...text.matchAll(/@import "\.\/([\w-]+\.css)"/g)].flatMap(([, file = '']) => [...classesIn(file)])
  return new Set([...imported, ...[...text.matchAll(/\.([a-z][\w-]*)/g)].map(([, found = '']) => found)])
}

/** The words in attributes `class` of a module, and in its texts in quotes that are put together to such ones. */
function classesOf(path: string): readonly string[] {
  const attributes = readFileSync(join(ROOT, path), 'utf8').matchAll(/\bclass=(?:"[^"]*"|\{[^}]*\}+)/g)
  return [...attributes].flatMap(([text]) => text.match(/[a-z][\w-]*/g) ?? [])
}

test('what the first pages show has its rules in the first file of styles', async () => {
  const entrypoints = [join(ROOT, 'src/web/main.tsx')]
  const { metafile } = await Bun.build({ entrypoints, root: ROOT, splitting: true, metafile: true })
  const modules = metafile?.inputs ?? {}
  const late = lateModules(modules)
  const first = Object.keys(modules).filter((path) => path.endsWith('.tsx') && !late.has(path))
  expect(first.length).toBeGreaterThan(50)
  const lateClasses = classesIn('late.css').difference(classesIn('index.css'))
  expect(lateClasses.size).toBeGreaterThan(50)
  expect(first.flatMap((path) => classesOf(path).filter((name) => lateClasses.has(name)))).toEqual([])
})
