import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { scripts } from '../package.json'
import { FOLDER_RULES, OWNED_GLOBALS } from './architecture/rules.ts'
import { type Sources, violations } from './architecture/scan.ts'

const SRC = resolve(import.meta.dir, '../src')

const sources: Sources = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(join(SRC, path), 'utf8')]),
)

const only = (path: string, text: string): Sources => new Map([[path, text]])

describe('the source', () => {
  test('follows the rules about imports and globals', () => {
    expect(violations(sources)).toEqual([])
  })

  test('has every file and folder named in the rules', () => {
    const named = [...FOLDER_RULES.map(({ of }) => of), ...OWNED_GLOBALS.flatMap(({ homes }) => homes)]
    const paths = [...sources.keys()]
    expect(named.filter((name) => !paths.some((path) => path === name || path.startsWith(name)))).toEqual([])
  })
})

describe('the tests', () => {
  const system = [...scripts['test:system'].matchAll(/ test\/(\w+)\//g)].map(([, folder = '']) => folder)

  test('are each run by one of the two commands', () => {
    expect(system).not.toBeEmpty()
    expect(scripts.test).toContain(`--path-ignore-patterns 'test/{${system}}/**'`)
  })

  test('run by `bun run test` need neither the executable nor a browser', () => {
    const files = readdirSync(import.meta.dir, { recursive: true, encoding: 'utf8' })
    const quick = files.filter((path) => path.endsWith('.test.ts') && !system.includes(path.split('/', 1)[0] ?? ''))
    const needy = new RegExp(
      `from '(?:playwright-core|\\./support/(?:demo|web-browser)\\.ts|.*\\.\\./(?:${system.join('|')})/.*)'`,
    )
    expect(quick).not.toBeEmpty()
    expect(quick.filter((path) => needy.test(readFileSync(join(import.meta.dir, path), 'utf8')))).toEqual([])
  })
})

describe('the scripts of package.json', () => {
  const names = Object.keys(scripts)

  test('are explained in docs/contributing.md', () => {
    const guide = readFileSync(join(SRC, '../docs/contributing.md'), 'utf8')
    expect(names.filter((name) => !guide.includes(`\n| \`${name}\` | `))).toEqual([])
  })
})

describe('tests in the browser', () => {
  test('open contexts with the helper that removes their routes before closing', () => {
    const folder = join(import.meta.dir, 'browser')
    const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts'))
    const count = (name: string, pattern: RegExp) =>
      readFileSync(join(folder, name), 'utf8').match(pattern)?.length ?? 0
    expect(files).not.toBeEmpty()
    for (const name of files)
      expect([name, count(name, /\.newContext\(/g)]).toEqual([name, count(name, /closed\(\s*await \w+\.newContext\(/g)])
  })
})

describe('the scan finds', () => {
  test.each([
    ['an import of a higher layer', 'domain/x.ts', `import { x } from '../http/errors.ts'`, 'imports http/errors.ts'],
    ['a re-export', 'formats/x.ts', `export { x } from '../http/errors.ts'`, 'imports http/errors.ts'],
    ['a dynamic import', 'http/x.ts', `const x = await import('../app.ts')`, 'imports app.ts'],
    ['a package in the domain', 'domain/x.ts', `import { Elysia } from 'elysia'`, 'imports elysia'],
    ['the engine outside the store', 'http/x.ts', `import { Database } from 'bun:sqlite'`, 'imports bun:sqlite'],
    ['main importing more than the command line', 'main.ts', `import { x } from './app.ts'`, 'imports app.ts'],
    ['internals of the store', 'cli/x.ts', `import '../store/sqlite/store.ts'`, 'imports store/sqlite/store.ts'],
    ['a value where only types are allowed', 'cli/x.ts', `import { x } from '../domain/a.ts'`, 'imports domain/a.ts'],
    [
      ...['a service that creates another one', 'domain/sync/x.ts', `import { createA } from '../accounts/a.ts'`],
      'a service imports another one, domain/accounts/a.ts',
    ],
    [
      ...['a noun that uses a later one', 'domain/accounts/x.ts', `import type { A } from '../sync/a.ts'`],
      'imports domain/sync/a.ts, whose noun comes later',
    ],
    ['a name not in the glossary', 'domain/x.ts', 'export class Gatekeeper {}', 'calls authentication Gatekeeper'],
    ['the wall clock', 'domain/x.ts', 'const now = Date.now()', 'uses the wall clock'],
    ['the current date', 'http/x.ts', 'const now = new Date()', 'uses the wall clock'],
    ['randomness', 'domain/x.ts', 'const id = Math.random()', 'uses randomness'],
    ['the process', 'cli/x.ts', 'const home = process.env', 'uses the process'],
    ['fetching', 'domain/x.ts', 'await fetch(url)', 'uses the network, outwards'],
    ['a file without a rule', 'jobs/x.ts', 'export const x = 1', 'no rule says what this file may import'],
  ])('%s', (_case, path = '', text = '', what = '') => {
    expect(violations(only(path, text))).toContain(`${path}:1: ${what}`)
  })

  test('a circular import', () => {
    const round = only('formats/one.ts', `import type { X } from './two.ts'`)
    const found = violations(new Map([...round, ['formats/two.ts', `export { x } from './one.ts'`]]))
    expect(found).toEqual(['formats/one.ts:1: imports itself by way of formats/two.ts, formats/one.ts'])
  })

  test('a folder with too many files', () => {
    const many = Array.from({ length: 16 }, (_, n): [string, string] => [`formats/many/f${n}.ts`, ''])
    expect(violations(new Map(many))).toEqual(['formats/many:1: has 16 files, more than 15'])
  })

  test('the line number after comments and multi-line texts', () => {
    const text = `/*\n * Date.now()\n */\n// import '../app.ts'\nconst url = 'http://x/ Date.now()'\n\nexport const now = Date.now()`
    expect(violations(only('domain/new.ts', text))).toEqual(['domain/new.ts:7: uses the wall clock'])
  })

  test.each([
    ['types where types are allowed', 'cli/new.ts', `import type { Devices } from '../domain/sync/devices.ts'`],
    ['types one by one', 'cli/new.ts', `import { type Device, type Devices } from '../domain/sync/devices.ts'`],
    ['a date made of a number', 'http/new.ts', 'export const date = new Date(seconds * 1000)'],
    ['a method called fetch', 'http/new.ts', 'export const answer = app.fetch(request)'],
    ['a module called crypto', 'domain/new.ts', `import { sha256 } from '../platform/crypto.ts'`],
    ['a word in a comment', 'domain/new.ts', '/** Never Date.now() or console. */\nexport const x = 1 // process.env'],
  ])('nothing in %s', (_case, path, text) => {
    expect(violations(only(path, text))).toEqual([])
  })
})
