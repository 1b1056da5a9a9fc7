import { resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { type Environment, type RawSetting, type ReadFile, type Source, tryRead } from './given.ts'
import { FILE_VARIABLE, isKey, isOptional, keys, settings } from './options.ts'
import { closest } from './suggest.ts'
import { indexLines, type LineOf } from './toml-lines.ts'

/** Looked for in this order when no file is named. */
const USUAL_FILES = ['config.toml', '/etc/podstep/config.toml']

export interface FileSource extends Source {
  /** The file that was chosen, as the user would name it; undefined when there is none. */
  readonly path: string | undefined
  /** Whether every setting of the file is known: if not, nothing can be said about combinations. */
  readonly complete: boolean
}

interface FileInput {
  /** From `--config`. */
  readonly file?: string | undefined
  readonly env: Environment
  readonly cwd: string
  readonly readFile: ReadFile
}

/** Finds and reads the configuration file: the named one must exist, the usual ones may. */
export function readConfigFile(input: FileInput): FileSource {
  const fromEnv = input.env[FILE_VARIABLE]?.trim() || undefined
  const named = input.file ?? fromEnv
  for (const path of named === undefined ? USUAL_FILES : [named]) {
    const result = tryRead(input.readFile, resolve(input.cwd, path))
    if (result === 'missing') continue
    if ('problem' in result) return failed(path, `${path}: ${result.problem}`)
    return readText(path, result.text.replace(/^\uFEFF/, ''))
  }
  if (named === undefined) return { path: undefined, complete: true, given: [], mistakes: [], warnings: [] }
  return failed(named, `${named}: no such file (named by ${input.file === undefined ? FILE_VARIABLE : '--config'})`)
}

function failed(path: string, mistake: string): FileSource {
  return { path, complete: false, given: [], mistakes: [mistake], warnings: [] }
}

function readText(path: string, text: string): FileSource {
  let table: Record<string, unknown>
  try {
    table = parse(text, { integersAsBigInt: true })
  } catch (error) {
    return failed(path, syntaxMistake(path, error))
  }
  const lineOf = indexLines(text)
  const given: RawSetting[] = []
  const mistakes: string[] = []
  for (const [key, value] of Object.entries(table)) {
    if (isKey(key)) {
      const unset = value === '' && isOptional(settings[key])
      if (!unset) given.push({ key, origin: { from: 'file', path, line: lineOf([key]) }, value: { toml: value } })
      continue
    }
    for (const leaf of leaves([key], value)) {
      const line = lineOf(leaf)
      const place = line === undefined ? path : `${path}:${line}`
      mistakes.push(`${place}: ${misplaced(leaf, lineOf)}`)
    }
  }
  return { path, complete: true, given, mistakes, warnings: [] }
}

/** The parser's message goes on with the lines around the error, which may hold a password: only its first line is shown. */
function syntaxMistake(path: string, error: unknown): string {
  if (!(error instanceof TomlError)) return `${path}: not a TOML document`
  const reason = error.message.split('\n', 1)[0]?.replace('Invalid TOML document: ', '') ?? ''
  return `${path}:${error.line}:${error.column}: syntax error: ${reason}`
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** The paths of all values in a table; an empty table counts as one. */
function leaves(path: readonly string[], value: unknown): readonly (readonly string[])[] {
  if (!isTable(value)) return [path]
  const inner = Object.entries(value).flatMap(([key, below]) => leaves([...path, key], below))
  return inner.length === 0 ? [path] : inner
}

/** What to say about a value that is not where a setting can be: an unknown key, or a key in a table. */
function misplaced(path: readonly string[], lineOf: LineOf): string {
  const name = JSON.stringify(path.join('.'))
  const flat = path.join('_')
  const last = path.at(-1) ?? ''
  if (path.length > 1 && isKey(flat))
    return `settings are flat keys, not tables: write ${flat} = ... instead of ${name}`
  if (path.length > 1 && isKey(last)) {
    const table = path.slice(0, -1)
    return `${last} stands in the table ${JSON.stringify(table.join('.'))} of line ${lineOf(table) ?? '?'}: settings are flat keys, remove the table`
  }
  const near = closest(flat, keys)
  if (near !== undefined) return `unknown key ${name}, did you mean "${near}"?`
  const family = keys.filter((key) => key.startsWith(`${path[0]}_`))
  return family.length > 0 ? `unknown key ${name}, the keys are ${family.join(', ')}` : `unknown key ${name}`
}
