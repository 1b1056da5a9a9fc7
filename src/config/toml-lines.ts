/** Where keys stand in a TOML document: the line of a key path, or of the nearest table around it. */
export type LineOf = (path: readonly string[]) => number | undefined

const KEY_PART = /[\w-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y
const DOT = /[ \t]*\.[ \t]*/y
const BLANK = /(?:\s|#[^\n]*)+/y
/** One token of a value. Strings come first, so that brackets and line ends inside them do not count. */
const VALUE =
  /"""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}|'''(?:(?!''')[\s\S])*'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+/y

/**
 * Indexes the keys of a document that is known to be valid TOML: the parser tells lines only for errors.
 * Keys inside inline tables are not indexed; they are found by the key that holds the table.
 */
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

/** Past `[` or `[[` and the blanks behind it. */
function skipOpening(toml: string, at: number): number {
  const opening = /\[+[ \t]*/y
  opening.lastIndex = at
  opening.exec(toml)
  return opening.lastIndex
}

/** Line numbers for places that only ever move forward. */
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
