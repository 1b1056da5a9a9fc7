import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { brandCss, COLORS, MARK_CSS, MARK_SVG } from '../src/http/responses/brand.ts'
import type { BundledFile } from '../src/http/web-files.ts'

/**
 * Makes the web client: one file with everything in it, packed as it will be sent, which the executable carries.
 *
 *   bun scripts/build-web.ts            dist/web.bundle
 *   bun scripts/build-web.ts --sizes    the same, and tells how large each file is when it is sent
 */

const ROOT = join(import.meta.dir, '..')
const WEB = join(ROOT, 'src/web')

export async function buildWeb(target = join(ROOT, 'dist/web.bundle')): Promise<readonly BundledFile[]> {
  const outputs = [
    ...(await bundle(['main.tsx', 'styles/index.css'], { format: 'esm', splitting: true })),
    // By itself: it holds up the first paint, which modules cannot.
    ...(await bundle(['theme-start.ts'], { format: 'iife' })),
  ]
  const files: BundledFile[] = []
  for (const output of outputs) {
    const text = await output.text()
    files.push(pack(`a/${basename(output.path)}`, output.path.endsWith('.css') ? withBrand(text) : text))
  }
  const named = (start: string) => {
    const found = files.find(({ path }) => path.startsWith(`a/${start}-`))
    if (!found) throw new Error(`the web client has no ${start}`)
    return found.path
  }
  const page = (await Bun.file(join(WEB, 'index.html')).text())
    .replace('{light}', COLORS.ground[0])
    .replace('{dark}', COLORS.ground[1])
    .replace('{theme}', named('theme-start'))
    .replace('{style}', named('index'))
    .replace('{script}', named('main'))
  files.push(pack('index.html', page))
  files.push(pack('icon.svg', icon()))
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  writeFileSync(target, JSON.stringify(files))
  return files
}

async function bundle(names: readonly string[], how: Pick<Bun.BuildConfig, 'format' | 'splitting'>) {
  const result = await Bun.build({
    entrypoints: names.map((name) => join(WEB, name)),
    target: 'browser',
    minify: true,
    naming: { entry: '[name]-[hash].[ext]', chunk: 'part-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    ...how,
  })
  if (!result.success) throw new AggregateError(result.logs, 'building the web client failed')
  return result.outputs
}

/** The mark by itself, for tabs and home screens, which know neither our colours nor our style. */
function icon(): string {
  const [accent] = COLORS.accent
  const [, warm] = COLORS.warm
  return MARK_SVG.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
    .replace('class="mark-stair"', `stroke="${accent}"`)
    .replace('class="mark-ball"', `fill="${warm}"`)
}

/**
 * The colours and typefaces stand in one place, for this client and for the pages made by the server. Here in a layer below all others:
 * outside of the layers they would win over a chosen theme.
 */
function withBrand(css: string): string {
  return `@layer brand,reset,base,parts,pages;@layer brand{${brandCss()}${MARK_CSS}}${css}`
}

function pack(path: string, text: string): BundledFile {
  const bytes = Buffer.from(text)
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  })
  return {
    path,
    raw: bytes.toString('base64'),
    brotli: brotli.toString('base64'),
    gzip: gzipSync(bytes, { level: 9 }).toString('base64'),
  }
}

if (import.meta.main) {
  const files = await buildWeb()
  for (const { path, brotli } of process.argv.includes('--sizes') ? files : [])
    process.stdout.write(`${(Buffer.byteLength(brotli, 'base64') / 1000).toFixed(1).padStart(7)} kB  ${path}\n`)
}
