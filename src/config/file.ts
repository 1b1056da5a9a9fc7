import { resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { FILE_VARIABLE, isKey, isOptional, keys, settings } from './options.ts'
import { closest } from './parsers.ts'
import { type Environment, type RawSetting, type ReadFile, type Source, tryRead } from './sources.ts'

const USUAL_FILES = ['config.toml', '/etc/podstep/config.toml']

export interface FileSource extends Source {
  /** Path of the chosen file as the user would write it; undefined without a file. */
  readonly path: string | undefined
  /** Whether every setting of the file is known. If not, combinations cannot be checked. */
  readonly complete: boolean
}

interface FileInput {
  readonly file?: string | undefined
  readonly env: Environment
  readonly cwd: string
  readonly readFile: ReadFile
}

export function readConfigFile(input: FileInput): FileSource {
  const fromEnv = input.env[FILE_VARIABLE]?.trim() || undefined
  const named = input.file ?? fromEnv
  for (const path of named === undefined ? USUAL_FILES : [named]) {
    const result = tryRead(input.readFile, resolve(input.cwd, path))
    if (result === 'missing') continue
    if ('issue' in result) return failed(path, `${path}: ${result.issue}`)
    return readText(path, result.text.replace(/^\uFEFF/, ''))
  }
  if (named === undefined) return { path: undefined, complete: true, rawSettings: [], issues: [], warnings: [] }
  return failed(named, `${named}: no such file (named by ${input.file === undefined ? FILE_VARIABLE : '--config'})`)
}

function failed(path: string, issue: string): FileSource {
  return { path, complete: false, rawSettings: [], issues: [issue], warnings: [] }
}

function readText(path: string, text: string): FileSource {
  let table: Record<string, unknown>
  try {
    table = parse(text, { integersAsBigInt: true })
  } catch (error) {
    return failed(path, syntaxIssue(path, error))
  }
  const lineOf = indexLines(text)
  const rawSettings: RawSetting[] = []
  const issues: string[] = []
  for (const [key, value] of Object.entries(table)) {
    if (isKey(key)) {
      const unset = value === '' && isOptional(settings[key])
      if (!unset) rawSettings.push({ key, origin: { from: 'file', path, line: lineOf([key]) }, value: { toml: value } })
      continue
    }
    for (const leaf of leaves([key], value)) {
      const line = lineOf(leaf)
      const location = line === undefined ? path : `${path}:${line}`
      issues.push(`${location}: ${misplacedKeyIssue(leaf, lineOf)}`)
    }
  }
  return { path, complete: true, rawSettings, issues, warnings: [] }
}

/** Shows only the first line of the parser's message: the source lines that follow may contain a password. */
function syntaxIssue(path: string, error: unknown): string {
  if (!(error instanceof TomlError)) return `${path}: not a TOML document`
  const reason = error.message.split('\n', 1)[0]?.replace('Invalid TOML document: ', '') ?? ''
  return `${path}:${error.line}:${error.column}: syntax error: ${reason}`
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function leaves(path: readonly string[], value: unknown): readonly (readonly string[])[] {
  if (!isTable(value)) return [path]
  const inner = Object.entries(value).flatMap(([key, below]) => leaves([...path, key], below))
  return inner.length === 0 ? [path] : inner
}

function misplacedKeyIssue(path: readonly string[], lineOf: LineOf): string {
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

type LineOf = (path: readonly string[]) => number | undefined

const KEY_PART = /[\w-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y
const DOT = /[ \t]*\.[ \t]*/y
const BLANK = /(?:\s|#[^\n]*)+/y
/** One token of a value. Strings come first, so that brackets and line breaks inside them do not count. */
const VALUE =
  /"""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}|'''(?:(?!''')[\s\S])*'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+/y

/** Indexes the keys of valid TOML, since the parser reports lines only for errors. Skips inline tables. */
export function indexLines(toml: string): LineOf {
  const lines = new Map<string, number>()
  let at = 0
  let table: readonly string[] = []

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(toml)?.[0]
    at += found?.length ?? 0
    return found
  }
  const takePath = (): string[] => {
    const path: string[] = []
    do {
      const part = take(KEY_PART)
      if (part === undefined) break
      path.push(unquote(part))
    } while (take(DOT) !== undefined)
    return path
  }
  const takeValue = (): void => {
    let depth = 0
    while (at < toml.length) {
      const token = take(VALUE)
      if (token === undefined) at++
      else if (token === '\n' && depth === 0) return
      else if (token === '[' || token === '{') depth++
      else if (token === ']' || token === '}') depth--
    }
  }

  const lineAt = lineCounter(toml)
  while (at < toml.length) {
    take(BLANK)
    const line = lineAt(at)
    const isTable = toml[at] === '['
    if (isTable) at = skipOpening(toml, at)
    const path = takePath()
    if (isTable) table = path
    const whole = isTable ? path : [...table, ...path]
    const name = JSON.stringify(whole)
    if (path.length > 0 && !lines.has(name)) lines.set(name, line)
    if (isTable) take(/[ \t]*\]+/y)
    takeValue()
  }

  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const line = lines.get(JSON.stringify(path.slice(0, length)))
      if (line !== undefined) return line
    }
    return undefined
  }
}

function skipOpening(toml: string, at: number): number {
  const opening = /\[+[ \t]*/y
  opening.lastIndex = at
  opening.exec(toml)
  return opening.lastIndex
}

function lineCounter(text: string): (at: number) => number {
  let line = 1
  let counted = 0
  return (at) => {
    for (; counted < at; counted++) if (text[counted] === '\n') line++
    return line
  }
}

function unquote(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1)
  if (!part.startsWith('"')) return part
  try {
    const text: unknown = JSON.parse(part)
    return typeof text === 'string' ? text : part
  } catch {
    return part // an escape only TOML knows: no setting is spelled that way
  }
}
