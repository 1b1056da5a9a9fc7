import { posix } from 'node:path'
import { BANNED_NAMES, FILES_MAX, FOLDER_RULES, LAYERS_BY_NOUN, LONG_FOLDERS, NOUNS, OWNED_GLOBALS } from './rules.ts'

/** Text of each file by its path below `src`. */
export type Sources = ReadonlyMap<string, string>

interface Import {
  /** A path relative to `src` for files, else the name of the module. */
  readonly target: string
  readonly isFile: boolean
  readonly typeOnly: boolean
  /** The text between `import` and `from`. */
  readonly names: string
  readonly line: number
}

/** All violations of the rules, as `file:line: violation`. */
export function violations(sources: Sources): string[] {
  return [
    ...forbiddenImports(sources),
    ...importsOfLaterNouns(sources),
    ...foreignGlobals(sources),
    ...cycles(sources),
    ...crowdedFolders(sources),
    ...bannedNames(sources),
  ]
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
        names: groups?.['names'] ?? '',
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
    for (const { target, isFile, typeOnly, names, line } of importsOf(file, text)) {
      const allowed = isFile ? [...rule.ours, ...(rule.of.endsWith('/') ? [rule.of] : [])] : rule.packages
      if (!allowed.some((entry) => permits(entry, target, typeOnly))) found.push(`${file}:${line}: imports ${target}`)
      if (isService(file) && isService(target) && !typeOnly && MAKES.test(names))
        found.push(`${file}:${line}: a service imports another one, ${target}`)
    }
  }
  return found
}

/** Within a layer, a noun may use itself and earlier nouns. */
function importsOfLaterNouns(sources: Sources): string[] {
  const found: string[] = []
  for (const [file, text] of sources) {
    const layer = LAYERS_BY_NOUN.find((each) => file.startsWith(each))
    if (layer === undefined) continue
    const noun = nounOf(file, layer)
    if (noun === -1) continue
    for (const { target, isFile, line } of importsOf(file, text))
      if (isFile && target.startsWith(layer) && nounOf(target, layer) > noun)
        found.push(`${file}:${line}: imports ${target}, whose noun comes later`)
  }
  return found
}

/** The index of a file's noun in the order of nouns; -1 if it has none. */
function nounOf(file: string, layer: string): number {
  return NOUNS.indexOf(file.slice(layer.length).split(/[/.]/)[0] ?? '')
}

function crowdedFolders(sources: Sources): string[] {
  const counts = new Map<string, number>()
  for (const file of sources.keys()) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > FILES_MAX && !LONG_FOLDERS.includes(folder))
    .map(([folder, count]) => `${folder}:1: has ${count} files, more than ${FILES_MAX}`)
}

const EXPORTED = /^export (?:async )?(?:const|function\*?|type|interface|class) (?<name>[\w$]+)/gm

/** Exported names with words that the glossary in `docs/contributing.md` replaces. */
function bannedNames(sources: Sources): string[] {
  const found: string[] = []
  for (const [file, text] of sources)
    for (const { groups, index } of text.matchAll(EXPORTED)) {
      const name = groups?.['name'] ?? ''
      for (const { word, use } of BANNED_NAMES)
        if (word.test(` ${wordsIn(name)} `)) found.push(`${file}:${lineOf(text, index)}: calls ${use} ${name}`)
    }
  return found
}

/** `createLogKeeper` and `LOG_KEEPER` alike as `create log keeper`, `log keeper`. */
function wordsIn(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
}

/** `app.ts` passes services to each other; they import only types and pure functions of one another. */
function isService(file: string): boolean {
  return file.startsWith('domain/') && !file.startsWith('domain/shared/')
}

const MAKES = /\bcreate[A-Z]/

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

/** Circular imports, including those of types, which are as hard to take apart. */
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

/** Replaces comments with spaces, to keep line numbers. Skips quoted text, which may contain two slashes. */
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
