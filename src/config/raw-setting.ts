import type { Key } from './options.ts'

export type Origin =
  | { readonly from: 'default' }
  | { readonly from: 'file'; readonly path: string; readonly line: number | undefined }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'secret file'; readonly name: string; readonly path: string }
  | { readonly from: 'command line'; readonly name: string }

/** One value somebody gave for a known setting, not yet read. */
export interface RawSetting {
  readonly key: Key
  readonly origin: Origin
  readonly value: { readonly text: string } | { readonly toml: unknown }
}

/** What a source of settings yields: values, and everything noticed while collecting them. */
export interface Source {
  readonly given: readonly RawSetting[]
  readonly issues: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Reads a whole file: its text, or undefined when there is none (an exception with code `ENOENT` counts as that).
 * Any other exception means that the file is there but cannot be read.
 */
export type ReadFile = (path: string) => string | undefined

export type Environment = Readonly<Record<string, string | undefined>>

/** The origin in a few words: `config.toml:12`, `SVC_PORT`, `default`. */
export function originText(origin: Origin): string {
  switch (origin.from) {
    case 'default':
      return 'default'
    case 'file':
      return origin.line === undefined ? origin.path : `${origin.path}:${origin.line}`
    case 'environment':
    case 'command line':
      return origin.name
    case 'secret file':
      return `${origin.name} (${origin.path})`
  }
}

/** The message about a value: the place to look at, then the issue. The key is added where the place does not name it already. */
export function issueAt(given: RawSetting, issue: string): string {
  const place = originText(given.origin)
  return given.origin.from === 'file' ? `${place}: ${given.key}: ${issue}` : `${place}: ${issue}`
}

export type ReadResult = { readonly text: string } | 'missing' | { readonly issue: string }

/** Calls `readFile` and turns its exceptions into words. */
export function tryRead(readFile: ReadFile, path: string): ReadResult {
  try {
    const text = readFile(path)
    return text === undefined ? 'missing' : { text }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return 'missing'
    return { issue: typeof code === 'string' ? `cannot be read (${code})` : 'cannot be read' }
  }
}
