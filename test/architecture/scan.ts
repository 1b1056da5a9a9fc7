import { posix } from 'node:path'
import { FOLDER_RULES, OWNED_GLOBALS, SERVICES } from './rules.ts'

/** Text of each file by its path below `src`. */
export type Sources = ReadonlyMap<string, string>

interface Import {
  /** A path relative to `src` for files, else the name of the module. */
  readonly target: string
  readonly isFile: boolean
  readonly typeOnly: boolean
  readonly line: number
}

/** Everything that breaks a rule, as `file:line: what`. */
export function violations(sources: Sources): string[] {
  return [...forbiddenImports(sources), ...foreignGlobals(sources), ...cycles(sources)]
}

const STATEMENT = /^(?:import\s*|(?:import|export)\s(?<names>[^'"`;=()]*?)\bfrom\s*)'(?<path>[^']+)'/gm
const CALL = /\b(?:import|require)\(\s*['"`](?<path>[^'"`]+)['"`]/g

function importsOf(file: string, text: string): Import[] {
  const code = withoutComments(text)
  return [STATEMENT, CALL].flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ groups, index }) => {
      const path = groups?.['path'] ?? ''
      const isFile = path.startsWith('.')
      return {
        target: isFile ? posix.normalize(posix.join(posix.dirname(file), path)) : path,
        isFile,
        typeOnly: isTypeOnly(groups?.['names'] ?? ''),
        line: lineOf(code, index),
      }
    }),
  )
}

/** `type { X }`, or `{ type X, type Y }`. */
function isTypeOnly(names: string): boolean {
  if (/^type\b/.test(names)) return true
  const listed = /^\{(?<list>[^}]*)\}\s*$/.exec(names)?.groups?.['list']
  const items = listed?.split(',').flatMap((item) => item.trim() || [])
  return items !== undefined && items.length > 0 && items.every((item) => /^type\s/.test(item))
}

function forbiddenImports(sources: Sources): string[] {
  const found: string[] = []
  for (const [file, text] of sources) {
    const rule = FOLDER_RULES.find(({ of }) => fits(file, of))
    if (!rule) {
      found.push(`${file}:1: no rule says what this file may import`)
      continue
    }
    for (const { target, isFile, typeOnly, line } of importsOf(file, text)) {
      const allowed = isFile ? [...rule.ours, ...(rule.of.endsWith('/') ? [rule.of] : [])] : rule.packages
      if (!allowed.some((entry) => permits(entry, target, typeOnly))) found.push(`${file}:${line}: imports ${target}`)
      if (SERVICES.includes(file) && SERVICES.includes(target) && !typeOnly)
        found.push(`${file}:${line}: a service imports another one, ${target}`)
    }
  }
  return found
}

function permits(entry: string, target: string, typeOnly: boolean): boolean {
  const [, onlyTypes, name = ''] = /^(type )?(.*)$/.exec(entry) ?? []
  if (onlyTypes && !typeOnly) return false
  return name === '*' || fits(target, name) || target.startsWith(`${name}/`)
}

function fits(path: string, of: string): boolean {
  return of.endsWith('/') ? path.startsWith(of) : path === of
}

function foreignGlobals(sources: Sources): string[] {
  const found: string[] = []
  for (const [file, text] of sources) {
    const lines = withoutText(withoutComments(text)).split('\n')
    for (const { what, pattern, homes } of OWNED_GLOBALS) {
      if (homes.some((home) => fits(file, home))) continue
      for (const [index, line] of lines.entries())
        if (pattern.test(line)) found.push(`${file}:${index + 1}: uses ${what}`)
    }
  }
  return found
}

/** Files that import each other, in a round. Types count: a round of types is as hard to take apart. */
function cycles(sources: Sources): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const path: string[] = []
  function visit(file: string): void {
    const start = path.indexOf(file)
    if (start >= 0) found.push(`${file}:1: imports itself by way of ${[...path.slice(start + 1), file].join(', ')}`)
    if (start >= 0 || done.has(file)) return
    path.push(file)
    for (const { target, isFile } of importsOf(file, sources.get(file) ?? ''))
      if (isFile && sources.has(target)) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of sources.keys()) visit(file)
  return found
}

const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ')

/** Comments as spaces, so that lines keep their numbers. Text in quotes is looked for first: it may hold two slashes. */
function withoutComments(text: string): string {
  return text.replaceAll(/'(?:[^'\\\n]|\\.)*'|\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/gm, (match) =>
    match.startsWith("'") ? match : blank(match),
  )
}

function withoutText(code: string): string {
  return code.replaceAll(/'(?:[^'\\\n]|\\.)*'/g, (match) => `'${blank(match.slice(1, -1))}'`)
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
