import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { WebFile, WebFiles } from '../../web-files.ts'

/** What a document is for. */
interface Wanted {
  /** The file of the page, without the hash in its name; undefined for pages that are for everybody. */
  readonly chunk: string | undefined
  /** Whether the page is for people who are not signed in. */
  readonly isPublic: boolean
  readonly acceptLanguage: string | null
}

/** The files of the pages whose texts come with the language itself (scripts/web-chunks.ts). */
export const FIRST_CHUNKS: readonly string[] = ['main', 'podcasts']

/** The file that every document has. */
const MAIN = 'main'

/** Languages that a client may name before it gets another document for each of them. */
const LANGUAGES_MAX = 5

/**
 * Makes the document of the web client: the same for all pages but for the outline that is seen until the script has
 * come, and for the files that the browser shall load at once without having to find out. Each is compressed when somebody asks
 * for it: the compressors take 10 ms and 10 MiB, and many servers never show a page.
 */
export function createDocuments(files: WebFiles, basePath: string): (wanted: Wanted) => WebFile {
  const template = files.get('index.html')
  if (!template) throw new Error('the web client has no page')
  const { type } = template
  const text = new TextDecoder().decode(template.raw)
  const made = new Map<string, WebFile>()

  function make(isPublic: boolean, language: string, preloaded: readonly string[]): WebFile {
    const links = preloaded.map((path) => `<link rel="modulepreload" href="${path}">`).join('\n')
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
    const preloaded = names
      .filter((name) => name !== MAIN)
      .map((name) => scriptOf(name, files))
      .filter((path) => path !== undefined)
    const key = [isPublic, language, ...preloaded].join()
    const document = made.get(key) ?? make(isPublic, language, preloaded)
    made.set(key, document)
    return document
  }
}

/** A file of pages, and for all but the first ones that of their texts. */
function filesOf(chunk: string, language: string): readonly string[] {
  return FIRST_CHUNKS.includes(chunk) ? [chunk] : [`more-${language}`, chunk]
}

/** The language that the client will choose, unless another one was chosen in the browser: the first that there is. */
function languageOf(header: string | null, files: WebFiles): string {
  const codes = (header ?? '').split(',', LANGUAGES_MAX).map((tag) => tag.trim().slice(0, 2).toLowerCase())
  return codes.find((code) => /^[a-z]{2}$/.test(code) && scriptOf(code, files) !== undefined) ?? 'en'
}

/** The path of a script by its name without the hash. */
function scriptOf(name: string, files: WebFiles): string | undefined {
  return [...files.keys()].find((path) => path.startsWith(`a/${name}-`) && path.endsWith('.js'))
}

/** The text without the part between `<!--name-->` and `<!--/name-->`. */
function without(name: string, text: string): string {
  const [start, end] = [`<!--${name}-->`, `<!--/${name}-->`]
  const [before = '', rest] = text.split(start)
  return rest === undefined ? text : before + rest.slice(rest.indexOf(end) + end.length)
}
