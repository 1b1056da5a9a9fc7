import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const WEB = join(import.meta.dir, '../../../src/web')

/** Keys of texts that the code may use. Parts known only at run time are `*`. */
function keysIn(code: string): string[] {
  const literals = [...code.matchAll(/['"]([\w.]+)['"]/g), ...code.matchAll(/`((?:[\w.]|\$\{[^}]*\})+)`/g)]
  return literals.map(([, text = '']) => text.replaceAll(/\$\{[^}]*\}/g, '*'))
}

/** A call of `t` in the source of the web client. */
export interface TextCall {
  readonly file: string
  /** The keys it may use. Parts known only at run time are `*`. */
  readonly keys: readonly string[]
  /** Names of the values it passes; undefined unless they are an object literal. */
  readonly values: readonly string[] | undefined
}

const sources = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, code: readFileSync(join(WEB, file), 'utf8') }))

/** All literals in the source that may be keys of texts, with `*` for parts known only at run time. */
export function mentionedKeys(): Set<string> {
  return new Set(sources.flatMap(({ code }) => keysIn(code)).filter((key) => /^(?:\*\.)?\w+\./.test(key)))
}

export function textCalls(): TextCall[] {
  return sources.flatMap(({ file, code }) =>
    [...code.matchAll(/(?<![\w.])t\((?=\S)/g)].map(({ index, 0: start }) => {
      const [key = '', values] = splitArguments(code.slice(index + start.length))
      return { file, keys: keysIn(key), values: values === undefined ? [] : namesIn(values) }
    }),
  )
}

/** The names of the properties of an object literal; undefined for any other expression. */
function namesIn(code: string): string[] | undefined {
  const body = /^\{([\s\S]*)\}$/.exec(code)?.[1]
  return body === undefined ? undefined : splitArguments(`${body})`).map((part) => /^\w+/.exec(part)?.[0] ?? part)
}

/** Splits the arguments of a call, given the code after its opening parenthesis. */
function splitArguments(code: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of code) {
    if (depth === 0 && character === ')') break
    if (depth === 0 && character === ',') {
      parts.push('')
      continue
    }
    if ('([{'.includes(character)) depth++
    if (')]}'.includes(character)) depth--
    parts[parts.length - 1] += character
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}
