import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { brandCss, COLORS, MARK_CSS, MARK_SVG } from '../src/brand.ts'
import { PAGES } from '../src/http/routes/server/web.ts'
import { type BundledFile, writeBundle } from '../src/http/web-files.ts'
import { drawIcon } from './web-icons.ts'
import { ICONS, manifestFor } from './web-manifest.ts'

/**
 * Builds the web client into one file with precompressed contents, which is embedded in the executable.
 *
 *   bun scripts/build-web.ts            dist/web.bundle
 *   bun scripts/build-web.ts --sizes    the same, and prints the compressed size of each file
 */

const ROOT = join(import.meta.dir, '..')
const WEB = join(ROOT, 'src/web')

export async function buildWeb(target = join(ROOT, 'dist/web.bundle')): Promise<readonly BundledFile[]> {
  const [style] = await bundle('styles/index.css')
  if (!style) throw new Error('the web client has no styles/index.css')
  const stylePath = `a/${basename(style.path)}`
  const files = [pack(stylePath, withBrand(await style.text()))]
  for (const output of await bundleScript()) files.push(pack(`a/${basename(output.path)}`, await output.text()))
  // Inline, because it must run before the first paint: modules run later, and a file would cost a request.
  const [themeStart] = await bundle('theme-start.ts')
  const themeScript = (await themeStart?.text())?.trim()
  if (!themeScript) throw new Error('the web client has no theme-start')
  const main = files.find(({ path }) => path.startsWith('a/main-'))
  if (!main) throw new Error('the web client has no main file')
  const page = (await Bun.file(join(WEB, 'index.html')).text())
    .replace('{light}', COLORS.ground[0])
    .replace('{dark}', COLORS.ground[1])
    .replace('/*{theme}*/', () => themeScript)
    .replace('{style}', stylePath)
    // Async: a deferred script would form one long task with the first layout.
    .replaceAll('{script}', main.path)
    // Inline, which saves a request.
    .replace('{icon}', `data:image/svg+xml,${encodeURIComponent(icon())}`)
    .replaceAll('{mark}', MARK_SVG)
  files.push(pack('index.html', page))
  files.push(pack('icon.svg', icon()))
  for (const [path, options] of Object.entries(ICONS)) files.push(pack(path, drawIcon(options)))
  for (const name of readdirSync(join(WEB, 'locales')).filter((file) => file.endsWith('.json'))) {
    const language = name.replace('.json', '')
    const texts = await Bun.file(join(WEB, 'locales', name)).json()
    files.push(pack(`manifest-${language}.webmanifest`, manifestFor(language, texts)))
  }
  files.push(pack('sw.js', await serviceWorker(files.map(({ path }) => path))))
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  writeFileSync(target, writeBundle(files))
  return files
}

/** Builds the service worker, which lists the files of this version. It caches a language on first use. */
async function serviceWorker(paths: readonly string[]): Promise<string> {
  const hashed = paths.filter((path) => path.startsWith('a/'))
  const [worker] = await bundle('pwa/service-worker.ts', {
    ALL_FILES: JSON.stringify([...hashed, 'icon.svg']),
    SHELL_FILES: JSON.stringify([...hashed.filter((path) => !/^a\/[a-z]{2}-/.test(path)), 'icon.svg']),
    PAGES: JSON.stringify(Object.keys(PAGES).filter((path) => !path.includes(':'))),
  })
  return (await worker?.text()) ?? ''
}

/** Bundles the main script, the pages loaded later (src/web/pages/rest.ts), and a file for each language. */
export async function bundleScript(): Promise<readonly Bun.BuildArtifact[]> {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [join(WEB, 'main.tsx')],
    root: ROOT,
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  if (!success) throw new AggregateError(logs, 'building the web client failed')
  return outputs
}

async function bundle(name: string, define: Record<string, string> = {}): Promise<readonly Bun.BuildArtifact[]> {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [join(WEB, name)],
    target: 'browser',
    format: 'iife',
    minify: true,
    define,
    naming: { entry: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
  })
  if (!success) throw new AggregateError(logs, 'building the web client failed')
  return outputs
}

/** Returns the logo as an icon for tabs and home screens, with literal colours. */
function icon(): string {
  const [accent] = COLORS.accent
  const [, warm] = COLORS.warm
  return MARK_SVG.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
    .replace('class="mark-stair"', `stroke="${accent}"`)
    .replace('class="mark-ball"', `fill="${warm}"`)
}

/**
 * Adds the colours and fonts that the client shares with the pages of the server. They are in the lowest layer, so that
 * a chosen theme overrides them.
 */
function withBrand(css: string): string {
  return `@layer brand,base,components,pages;@layer brand{${brandCss()}${MARK_CSS}}${css}`
}

function pack(path: string, content: string | Uint8Array): BundledFile {
  const bytes = Buffer.from(content)
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  return {
    path,
    raw: new Uint8Array(bytes),
    brotli: new Uint8Array(brotliCompressSync(bytes, best)),
    gzip: new Uint8Array(gzipSync(bytes, { level: 9 })),
  }
}

if (import.meta.main) {
  const files = await buildWeb()
  for (const { path, brotli } of process.argv.includes('--sizes') ? files : [])
    process.stdout.write(`${(brotli.length / 1000).toFixed(1).padStart(7)} kB  ${path}\n`)
}
