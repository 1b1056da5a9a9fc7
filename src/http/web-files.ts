interface Contents {
  readonly raw: Uint8Array<ArrayBuffer>
  readonly brotli: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

export interface BundledFile extends Contents {
  /** Relative to the URL of the server: `index.html`, `a/main-1a2b3c.js`. Files below `a/` never change. */
  readonly path: string
}

export interface WebFile extends Contents {
  readonly type: string
}

export type WebFiles = ReadonlyMap<string, WebFile>

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
}

/** Lengths of the three forms of a file, which are adjacent in the bundle. */
interface Entry {
  readonly path: string
  readonly raw: number
  readonly brotli: number
  readonly gzip: number
}

/** Bundles the files of the web client: the length of a table in bytes, the table in JSON, then the contents. */
export function writeBundle(files: readonly BundledFile[]): Uint8Array<ArrayBuffer> {
  const entries: Entry[] = files.map(({ path, raw, brotli, gzip }) => ({
    path,
    raw: raw.length,
    brotli: brotli.length,
    gzip: gzip.length,
  }))
  const table = Buffer.from(JSON.stringify(entries))
  const size = Buffer.alloc(4)
  size.writeUInt32LE(table.length)
  return new Uint8Array(Buffer.concat([size, table, ...files.flatMap(({ raw, brotli, gzip }) => [raw, brotli, gzip])]))
}

/** Reads a bundle of `writeBundle`. The files are views of it. Throws if the format is wrong. */
export function readBundle(bundle: Uint8Array<ArrayBuffer>): WebFiles {
  const start = 4 + Buffer.from(bundle.buffer, bundle.byteOffset, 4).readUInt32LE()
  const entries: readonly Entry[] = JSON.parse(new TextDecoder().decode(bundle.subarray(4, start)))
  let position = start
  function take(bytes: number): Uint8Array<ArrayBuffer> {
    position += bytes
    return bundle.subarray(position - bytes, position)
  }
  return new Map(
    entries.map(({ path, raw, brotli, gzip }) => {
      const type = TYPES[path.slice(path.lastIndexOf('.') + 1)]
      if (type === undefined) throw new Error(`the web client has a file of unknown type: ${path}`)
      return [path, { type, raw: take(raw), brotli: take(brotli), gzip: take(gzip) }]
    }),
  )
}
