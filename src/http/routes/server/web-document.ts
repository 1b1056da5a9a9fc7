import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { WebFile, WebFiles } from '../../web-files.ts'

interface Wanted {
  /** The file of the page, without the hash in its name; undefined for pages that are for everybody. */
  readonly chunk: string | undefined
  readonly isPublic: boolean
  readonly acceptLanguage: string | null
}

/** The files of the pages whose texts come with the language itself, and whose styles with the first ones (src/web/late.ts). */
export const FIRST_CHUNKS: readonly string[] = ['main', 'podcasts']

const MAIN = 'main'

const LATE_STYLE = 'late'

/** Languages that a client may name before it gets another document for each of them. */
const LANGUAGES_MAX = 5

/** Makes documents that differ by outline and preloaded files. Compressed on demand to save memory. */
export function createDocuments(files: WebFiles, basePath: string): (wanted: Wanted) => WebFile {
  const template = files.get('index.html')
  if (!template) throw new Error('the web client has no page')
  const { type } = template
  const text = new TextDecoder().decode(template.raw)
  const made = new Map<string, WebFile>()

  function make(isPublic: boolean, language: string, linked: readonly string[]): WebFile {
    const links = linked
      .map((path) => `<link rel="${path.endsWith('.css') ? 'stylesheet' : 'modulepreload'}" href="${path}">`)
      .join('\n')
    const page = without(isPublic ? 'shell' : 'public', text)
      .replace('{base}', encodeURI(basePath))
      .replace('{language}', language)
      .replace('{preload}', links)
    const raw = new Uint8Array(Buffer.from(page))
    return { type, raw, brotli: new Uint8Array(brotliCompressSync(raw)), gzip: new Uint8Array(gzipSync(raw)) }
  }

  return ({ chunk, isPublic, acceptLanguage }) => {
    const language = languageOf(acceptLanguage, files)
    const names = isPublic || chunk === undefined ? [language] : [language, ...filesOf(chunk, language)]
    const linked = names
      .filter((name) => name !== MAIN)
      .map((name) => (name === LATE_STYLE ? pathOf(name, '.css', files) : scriptOf(name, files)))
      .filter((path) => path !== undefined)
    const key = [isPublic, language, ...linked].join()
    const document = made.get(key) ?? make(isPublic, language, linked)
    made.set(key, document)
    return document
  }
}

/** A file of pages, and for all but the first ones those of their styles and texts. */
function filesOf(chunk: string, language: string): readonly string[] {
  return FIRST_CHUNKS.includes(chunk) ? [chunk] : [LATE_STYLE, `more-${language}`, chunk]
}

/** The language that the client will choose, unless another one was chosen in the browser: the first that there is. */
function languageOf(header: string | null, files: WebFiles): string {
  const codes = (header ?? '').split(',', LANGUAGES_MAX).map((tag) => tag.trim().slice(0, 2).toLowerCase())
  return codes.find((code) => /^[a-z]{2}$/.test(code) && scriptOf(code, files) !== undefined) ?? 'en'
}

/** The path of a script by its name without the hash. */
function scriptOf(name: string, files: WebFiles): string | undefined {
  return pathOf(name, '.js', files)
}

function pathOf(name: string, ending: string, files: WebFiles): string | undefined {
  return [...files.keys()].find((path) => path.startsWith(`a/${name}-`) && path.endsWith(ending))
}

function without(name: string, text: string): string {
  const [start, end] = [`<!--${name}-->`, `<!--/${name}-->`]
  const [before = '', rest] = text.split(start)
  return rest === undefined ? text : before + rest.slice(rest.indexOf(end) + end.length)
}
