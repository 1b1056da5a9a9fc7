import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { FIRST_CHUNKS } from '../src/http/routes/server/web.ts'
import { splitTexts } from './web-texts.ts'

/** The folder with one module for each file of pages, which exports the pages that are in it. */
const CHUNKS = 'src/web/pages/chunks/'
const LOCALES = 'src/web/locales'
const MAIN = 'src/web/main.tsx'

interface Module {
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[]
}

type Modules = Readonly<Record<string, Module>>

/**
 * Bundles the script of the web client: the main file, a file for each module in `pages/chunks`, one for each language,
 * and one for what is imported late elsewhere. The bundler alone makes a file of every few modules that the same pages
 * share, dozens of them, and each is a request. So everything that two files need is brought into the main file, which is
 * always there: the first pass finds what that is, and in the second one each of them imports the main file with it. It
 * finds also which texts the first pages need; the others come with the other pages, as do their styles, the file
 * `lateStyle`.
 */
export async function bundleScript(root: string, lateStyle: string): Promise<readonly Bun.BuildArtifact[]> {
  const { metafile } = await build(root, lateStyle, [])
  if (!metafile) throw new Error('the bundler has not told what it has bundled')
  const shared = sharedModules(metafile.inputs)
  const late = lateModules(metafile.inputs)
  const early = Object.keys(metafile.inputs).filter((path) => /^src\/web\/.*\.tsx?$/.test(path) && !late.has(path))
  const sources = early.map((path) => readFileSync(join(root, path), 'utf8'))
  const texts = (language: string) =>
    splitTexts(JSON.parse(readFileSync(join(root, LOCALES, `${language}.json`), 'utf8')), sources)
  const { outputs } = await build(root, lateStyle, [
    {
      name: 'shared modules in the main file',
      setup({ onLoad }) {
        onLoad({ filter: /\/src\/web\/pages\/chunks\/[^/]+\.ts$/ }, ({ path }) => ({
          contents: withImports(path, [join(root, MAIN)]),
          loader: 'ts',
        }))
        onLoad({ filter: /\/src\/web\/main\.tsx$/ }, ({ path }) => ({
          contents: withImports(
            path,
            shared.map((module) => join(root, module)),
          ),
          loader: 'tsx',
        }))
      },
    },
    {
      name: 'texts in two parts',
      setup({ onLoad, onResolve }) {
        onLoad({ filter: /\/locales\/more\.ts$/ }, ({ path }) => ({
          contents: readFileSync(path, 'utf8').replaceAll(/'\.\/(\w+)\.json'/g, "'more-$1'"),
          loader: 'ts',
        }))
        onResolve({ filter: /^more-\w+$/ }, ({ path }) => ({ path, namespace: 'texts' }))
        onLoad({ filter: /.*/, namespace: 'texts' }, ({ path }) => ({
          contents: JSON.stringify(texts(path.replace('more-', '')).more),
          loader: 'json',
        }))
        onLoad({ filter: /\/locales\/\w+\.json$/ }, ({ path }) => ({
          contents: JSON.stringify(texts(basename(path, '.json')).first),
          loader: 'json',
        }))
      },
    },
  ])
  return outputs
}

async function build(root: string, lateStyle: string, plugins: Bun.BunPlugin[]): Promise<Bun.BuildOutput> {
  const result = await Bun.build({
    entrypoints: [join(root, MAIN)],
    root,
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"', LATE_STYLE: JSON.stringify(lateStyle) },
    plugins,
  })
  if (!result.success) throw new AggregateError(result.logs, 'building the web client failed')
  return result
}

/** The modules that only pages with texts of their own need: those of all files of pages but the first ones. */
export function lateModules(modules: Modules): ReadonlySet<string> {
  const chunks = Object.keys(modules).filter((path) => path.includes(CHUNKS))
  const late = chunks.filter((path) => !FIRST_CHUNKS.includes(basename(path, '.ts')))
  const starts = [MAIN, ...chunks.filter((path) => !late.includes(path))]
  const early = new Set(starts.flatMap((start) => [...reachedFrom(start, modules)]))
  return new Set(late.flatMap((start) => [...reachedFrom(start, modules)]).filter((path) => !early.has(path)))
}

/** The modules that several files of pages need and the main file does not have yet. */
export function sharedModules(modules: Modules): readonly string[] {
  const inMain = reachedFrom(Object.keys(modules).find((path) => path.endsWith(MAIN)) ?? MAIN, modules)
  const times = new Map<string, number>()
  for (const chunk of Object.keys(modules).filter((path) => path.includes(CHUNKS)))
    for (const module of reachedFrom(chunk, modules))
      if (!inMain.has(module)) times.set(module, (times.get(module) ?? 0) + 1)
  return [...times].filter(([, count]) => count > 1).map(([module]) => module)
}

/** A module and all that it imports, except what it imports late. */
function reachedFrom(start: string, modules: Modules): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    for (const { path: next, kind, external } of modules[path]?.imports ?? [])
      if (kind !== 'dynamic-import' && !external) open.push(next)
  }
  return reached
}

function withImports(path: string, modules: readonly string[]): string {
  return modules.map((module) => `import ${JSON.stringify(module)}\n`).join('') + readFileSync(path, 'utf8')
}
