import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { bundleScript } from '../../scripts/build-web.ts'
import { PAGES } from '../../src/http/routes/server/web.ts'

const ROOT = resolve(import.meta.dir, '../..')

/** Maximum size of the compressed scripts of Home in bytes. */
const FIRST_LOAD_MAX = 75_000

const outputs = await bundleScript()
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

test('the web client has a main script, one for the other pages, and one for each language', () => {
  expect(new Set(outputs.map(({ path }) => path)).size).toBe(languages.length + 2)
  expect(new Set(files.map(({ name }) => name))).toEqual(new Set(['main', 'rest', ...languages]))
})

test.each(languages)('the scripts for a first load of Home are small in %s', (code) => {
  const sizes = ['main', code].map(packedSize)
  expect(Math.min(...sizes)).toBeGreaterThan(1000)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(FIRST_LOAD_MAX)
})

test('the server preloads the script of the other pages for exactly these', () => {
  const app = readFileSync(join(ROOT, 'src/web/app.tsx'), 'utf8')
  const late = [...app.matchAll(/'(\/[^']*)': '[A-Z]/g)].map(([, path]) => path)
  expect(late.length).toBeGreaterThan(0)
  const named = Object.entries(PAGES).filter(([, chunk]) => chunk === 'rest')
  expect(new Set(late)).toEqual(new Set(named.map(([path]) => path)))
})
