import { resolve } from 'node:path'
import { envName, FILE_VARIABLE, isKey, isSecret, type Key, keys, settings } from './options.ts'
import { closest } from './parsers.ts'

export type Origin =
  | { readonly from: 'default' }
  | { readonly from: 'file'; readonly path: string; readonly line: number | undefined }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'secret file'; readonly name: string; readonly path: string }
  | { readonly from: 'command line'; readonly name: string }

export interface RawSetting {
  readonly key: Key
  readonly origin: Origin
  readonly value: { readonly text: string } | { readonly toml: unknown }
}

export interface Source {
  readonly rawSettings: readonly RawSetting[]
  readonly issues: readonly string[]
  readonly warnings: readonly string[]
}

/** Reads a whole file; undefined if it does not exist (`ENOENT`). Throws if it cannot be read. */
export type ReadFile = (path: string) => string | undefined

export type Environment = Readonly<Record<string, string | undefined>>

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

export function issueAt(setting: RawSetting, issue: string): string {
  const place = originText(setting.origin)
  return setting.origin.from === 'file' ? `${place}: ${setting.key}: ${issue}` : `${place}: ${issue}`
}

export type ReadResult = { readonly text: string } | 'missing' | { readonly issue: string }

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

/** Kubernetes sets variables named after the services of a namespace; a service "svc" or "svc-x" collides with ours. */
const KUBERNETES_NAME =
  /^SVC_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/
const KUBERNETES_VALUE = /^(?:tcp|udp|sctp):\/\//
const KUBERNETES_ADVICE = 'set enableServiceLinks: false or name the Kubernetes service otherwise'

interface EnvironmentInput {
  readonly env: Environment
  readonly cwd: string
  readonly readFile: ReadFile
}

/** Collects `SVC_*` variables. Empty ones count as unset; unknown ones, which may belong to others, cause warnings. */
export function readEnvironment(input: EnvironmentInput): Source {
  const rawSettings: RawSetting[] = []
  const issues: string[] = []
  const warnings: string[] = []
  for (const key of keys) {
    const name = envName(key)
    const raw = input.env[name] ?? ''
    // Blanks around a value are mistakes in a shell or compose file, but may be part of a password.
    const text = isSecret(key) ? raw : raw.trim()
    if (isSecret(key)) {
      const fromFile = readSecretFile(input, key)
      if (fromFile !== undefined && text !== '') issues.push(`${name} and ${name}_FILE are both set: keep one of them`)
      else if (typeof fromFile === 'string') issues.push(fromFile)
      else if (fromFile !== undefined) rawSettings.push(fromFile)
    }
    if (text === '') continue
    if (settings[key].parser.name === 'integer' && KUBERNETES_VALUE.test(text)) {
      warnings.push(
        `${name} is ignored: such a value (${text.slice(0, 6)}...) comes from Kubernetes; ${KUBERNETES_ADVICE}`,
      )
    } else {
      rawSettings.push({ key, origin: { from: 'environment', name }, value: { text } })
    }
  }
  return { rawSettings, issues, warnings: [...warnings, ...unknownVariables(input.env)] }
}

/** Content of the file named by `SVC_<KEY>_FILE`, an error message, or undefined if the variable is not set. */
function readSecretFile(input: EnvironmentInput, key: Key): RawSetting | string | undefined {
  const name = `${envName(key)}_FILE`
  const path = input.env[name]?.trim() ?? ''
  if (path === '') return undefined
  const result = tryRead(input.readFile, resolve(input.cwd, path))
  if (result === 'missing') return `${name}: ${path}: no such file`
  if ('issue' in result) return `${name}: ${path}: ${result.issue}`
  const text = result.text.replace(/\r?\n$/, '')
  if (text === '') return `${name}: ${path}: the file is empty`
  return { key, origin: { from: 'secret file', name, path }, value: { text } }
}

function unknownVariables(env: Environment): readonly string[] {
  const warnings: string[] = []
  const kubernetes: string[] = []
  for (const name of Object.keys(env)) {
    if (!name.startsWith('SVC_') || env[name] === undefined || env[name] === '' || isKnown(name)) continue
    if (KUBERNETES_NAME.test(name)) kubernetes.push(name)
    else warnings.push(unknownVariableWarning(name))
  }
  if (kubernetes.length > 0) {
    warnings.push(`ignored, as they look set by Kubernetes: ${kubernetes.join(', ')}; ${KUBERNETES_ADVICE}`)
  }
  return warnings
}

function isKnown(name: string): boolean {
  return name === FILE_VARIABLE || knownNames.includes(name)
}

const secretFileNames = keys.filter(isSecret).map((key) => `${envName(key)}_FILE`)
const knownNames = [...keys.map(envName), ...secretFileNames]

function unknownVariableWarning(name: string): string {
  const key = name
    .slice('SVC_'.length)
    .replace(/_FILE$/, '')
    .toLowerCase()
  if (name.endsWith('_FILE') && isKey(key)) return `${name} is ignored: only secrets are read from files`
  const near = closest(
    name.slice('SVC_'.length),
    knownNames.map((variable) => variable.slice('SVC_'.length)),
  )
  return `${name} is ignored: no such setting${near === undefined ? '' : `, did you mean SVC_${near}?`}`
}
