import { findProblem, ownership, readFolder } from '../../doctor/data-folder.ts'
import { type CheckResult, type Finding, type FindingValues, hasError } from '../../domain/server/doctor.ts'
import { codeOf } from '../../platform/unknown.ts'
import texts from '../../web/locales/en.json'

const { seen, todo }: { readonly seen: Texts; readonly todo: Texts } = texts.admin.doctor

type Texts = Readonly<Record<string, string>>

interface Words {
  readonly observed: string
  readonly whatToDo: string | undefined
}

function wordsOf({ code, values, cause, command, ways = [] }: Finding): Words {
  const words = toTexts(values)
  const observed = interpolate(seen[code] ?? code, words)
  const keys = [...new Set(ways.flat().map(({ key }) => key))]
  const settings = keys.length === 0 ? '' : `(Settings: ${keys.join(', ')}.)`
  const advice = [interpolate(todo[code] ?? '', words), command ?? '', settings].filter((part) => part !== '').join(' ')
  return {
    observed: cause === undefined ? observed : `${observed.replace(/\.$/, '')}: ${cause}`,
    whatToDo: todo[code] === undefined ? undefined : advice,
  }
}

function interpolate(text: string, values: Texts): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}

const BYTES = ['free', 'size', 'needed']

function toTexts(values: FindingValues): Texts {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (BYTES.includes(name)) return [name, `${(Number(value) / 1e6).toFixed(1)} MB`]
      return [name, name === 'at' ? new Date(Number(value) * 1000).toISOString() : String(value)]
    }),
  )
}

const LABELS = {
  ok: 'ok',
  warning: 'WARNING',
  error: 'ERROR',
  todo: 'to do',
  optional: 'optional',
  skipped: 'skipped',
}

export function resultLines(result: CheckResult): string {
  const { observed, whatToDo } = wordsOf(result)
  const line = `${LABELS[result.status].padEnd(8)} ${result.check.replaceAll('_', ' ').padEnd(12)} ${observed}\n`
  return whatToDo === undefined ? line : `${line}${' '.repeat(22)}${whatToDo}\n`
}

export function resultsJson(results: readonly CheckResult[]): string {
  const checks = results.map((result) => {
    const { observed, whatToDo = null } = wordsOf(result)
    const { check, status, code, command = null } = result
    return { check, status, code, observed, what_to_do: whatToDo, command }
  })
  return `${JSON.stringify({ ok: !hasError(results), checks }, null, 2)}\n`
}

export function explainFolder(dataDir: string, error: unknown): string {
  const facts = readFolder(dataDir)
  const problem = findProblem(facts, codeOf(error))
  if (problem) {
    const { observed, whatToDo = '' } = wordsOf(problem)
    return `\n  ${observed}\n  ${whatToDo}`
  }
  const folder = facts.folders.at(-1)
  if (folder?.path !== dataDir) return ''
  return `\n  ${interpolate(texts.admin.doctor.seen.folder_foreign, toTexts(ownership(folder, facts)))}`
}
