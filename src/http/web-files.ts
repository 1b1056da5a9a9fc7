/** A file of the web client as its build packs it; contents in base64. */
export interface BundledFile {
  /** Relative to the address of the server: `index.html`, `a/main-1a2b3c.js`. Files below `a/` never change. */
  readonly path: string
  readonly raw: string
  readonly brotli: string
  readonly gzip: string
}

export interface WebFile {
  readonly type: string
  readonly raw: Uint8Array<ArrayBuffer>
  readonly brotli: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

/** The files of the web client by path. */
export type WebFiles = ReadonlyMap<string, WebFile>

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Reads the file that the build of the web client wrote. Throws when it is something else. */
export function readBundle(text: string): WebFiles {
  const bundled: readonly BundledFile[] = JSON.parse(text)
  return new Map(
    bundled.map(({ path, raw, brotli, gzip }) => {
      const type = TYPES[path.slice(path.lastIndexOf('.') + 1)]
      if (type === undefined) throw new Error(`the web client has a file of unknown type: ${path}`)
      return [path, { type, raw: bytes(raw), brotli: bytes(brotli), gzip: bytes(gzip) }]
    }),
  )
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}
