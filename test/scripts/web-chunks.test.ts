import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { bundleScript, lateModules, sharedModules } from '../../scripts/web-chunks.ts'
import { splitTexts } from '../../scripts/web-texts.ts'
import { PAGES } from '../../src/http/routes/server/web.ts'
import english from '../../src/web/locales/en.json'

const ROOT = resolve(import.meta.dir, '../..')

/** Bytes, compressed. Each file is a request, which takes a slow line longer than so many bytes do. */
const SMALLEST = 10_000
/** Bytes, compressed, of all script that Home needs. */
const FIRST_LOAD_MAX = 60_000

const outputs = await bundleScript(ROOT, 'a/late.css')
const files = await Promise.all(
  outputs.map(async (output) => ({
    name: /([\w-]+)-\w+\.js$/.exec(output.path)?.[1] ?? output.path,
    text: await output.text(),
  })),
)
const languages = readdirSync(join(ROOT, 'src/web/locales'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, 2))
const packedSize = (name: string) => brotliCompressSync(files.find((file) => file.name === name)?.text ?? '').length

describe('the script of the web client', () => {
  test('is one main file, one of each language, and few of pages', () => {
    const names = ['main', 'podcasts', 'settings', 'admin', ...languages, ...languages.map((code) => `more-${code}`)]
    expect(new Set(files.map(({ name }) => name))).toEqual(new Set(names))
    expect(files.length).toBe(names.length)
  })

  test('has no file that is not worth its request', () => {
    const others = files.filter(({ name }) => !languages.includes(name))
    const sizes = others.map(({ name }) => ({ name, size: packedSize(name) }))
    expect(sizes.filter(({ size }) => size < SMALLEST)).toEqual([])
  })

  test.each(languages)('is light on a first load of Home in %s', (code) => {
    const sizes = ['main', code].map(packedSize)
    expect(Math.min(...sizes)).toBeGreaterThan(1000)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(FIRST_LOAD_MAX)
  })

  test('has the texts for what the first pages show', () => {
    const { text = '' } = files.find(({ name }) => name === 'en') ?? {}
    const wanted = [english.player.pause, english.player.continue, english.podcast.played]
    expect(wanted.filter((each) => !text.includes(JSON.stringify(each)))).toEqual([])
  })

  test('is where the server says that it is', () => {
    const app = readFileSync(join(ROOT, 'src/web/app.tsx'), 'utf8')
    const late = [...app.matchAll(/'(\/[^']*)': async \(\) => \(await (\w+)\(\)\)/g)]
    expect(late.length).toBeGreaterThan(0)
    const chunks = Object.entries(PAGES).filter(([, chunk]) => chunk !== undefined && chunk !== 'main')
    expect(Object.fromEntries(late.map(([, path, chunk]) => [path, chunk]))).toEqual(Object.fromEntries(chunks))
  })
})

test('what two files of pages need, by whatever way, gets into the main one, unless it is in there', () => {
  const to = (...paths: string[]) => ({ imports: paths.map((path) => ({ path, kind: 'import-statement' })) })
  const found = sharedModules({
    'src/web/main.tsx': { imports: [...to('button').imports, { path: 'late', kind: 'dynamic-import' }] },
    'src/web/pages/chunks/one.ts': to('page', 'button'),
    'src/web/pages/chunks/two.ts': to('list', 'own', 'button'),
    page: to('list', 'page'),
    list: to('row'),
    row: to(),
    own: to(),
    button: to(),
    late: to('own'),
  })
  expect(new Set(found)).toEqual(new Set(['list', 'row']))
})

test('pages beyond the first ones bring along the texts that nothing else needs', () => {
  const to = (...paths: string[]) => ({ imports: paths.map((path) => ({ path, kind: 'import-statement' })) })
  const chunks = ['podcasts', 'settings'].map((name) => ({
    path: `src/web/pages/chunks/${name}.ts`,
    kind: 'dynamic-import',
  }))
  const modules = {
    'src/web/main.tsx': { imports: [...to('shell').imports, ...chunks, { path: 'player', kind: 'dynamic-import' }] },
    'src/web/pages/chunks/podcasts.ts': to('podcast'),
    'src/web/pages/chunks/settings.ts': to('account', 'dialog'),
    ...{ shell: to(), podcast: to('dialog'), dialog: to(), player: to(), account: to('form'), form: to() },
  }
  expect(new Set(lateModules(modules))).toEqual(new Set(['src/web/pages/chunks/settings.ts', 'account', 'form']))
})

test('texts are split by what the code asks for: keys, plural forms, and keys that are made at run time', () => {
  const texts = {
    home: { title: 'Home', selected_one: '1', selected_other: '{n}', errors: { gone: 'Gone' } },
    account: { title: 'Account', errors: { taken: 'Taken' } },
  }
  const code = ["t('home.title')", "t('home.selected', { n })", ['findText(`', '{scope}.errors.', '{code}`)'].join('$')]
  expect(splitTexts(texts, code)).toEqual({
    first: { home: texts.home, account: { errors: texts.account.errors } },
    more: { account: { title: 'Account' } },
  })
})
