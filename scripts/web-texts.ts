/** What the code of the web client may ask for. Parts of a key that are known only at run time are `*`. */
export function keysIn(code: string): string[] {
  const literals = [...code.matchAll(/['"]([\w.]+)['"]/g), ...code.matchAll(/`((?:[\w.]|\$\{[^}]*\})+)`/g)]
  return literals.map(([, text = '']) => text.replaceAll(/\$\{[^}]*\}/g, '*'))
}

type Texts = { readonly [key: string]: string | Texts }

/**
 * Takes the texts of a language apart: those that one of these modules may ask for, which the first page needs, and the
 * rest, which comes with the pages that need it.
 */
export function splitTexts(texts: Texts, modules: readonly string[]): { readonly first: Texts; readonly more: Texts } {
  const asked = new Set(modules.flatMap(keysIn).filter((key) => /^(?:\*\.)?\w+\./.test(key)))
  const patterns = [...asked]
    .filter((key) => key.includes('*'))
    .map((key) => new RegExp(`^${key.replaceAll('.', '\\.').replaceAll('*', '.+')}$`))
  const isFirst = (key: string) => {
    const name = key.replace(/_(?:zero|one|two|few|many|other)$/, '')
    return asked.has(key) || asked.has(name) || patterns.some((pattern) => pattern.test(name))
  }
  return { first: keep(texts, isFirst), more: keep(texts, (key) => !isFirst(key)) }
}

function keep(texts: Texts, isWanted: (key: string) => boolean, prefix = ''): Texts {
  const kept = Object.entries(texts).flatMap(([name, value]): [string, string | Texts][] => {
    if (typeof value === 'string') return isWanted(prefix + name) ? [[name, value]] : []
    const inner = keep(value, isWanted, `${prefix}${name}.`)
    return Object.keys(inner).length > 0 ? [[name, inner]] : []
  })
  return Object.fromEntries(kept)
}
