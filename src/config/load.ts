import { resolve } from 'node:path'
import { crossCheck } from './cross-checks.ts'
import { readEnvironment } from './environment.ts'
import { readConfigFile } from './file.ts'
import { type Config, camelCase, isKey, type Key, keys, type Setting, settings } from './options.ts'
import { closest } from './parsers.ts'
import { type Environment, issueAt, type Origin, type RawSetting, type ReadFile, type Source } from './raw-setting.ts'

export interface ConfigInput {
  /** The file named by `--config`. */
  readonly file?: string | undefined
  readonly env: Environment
  /** Absolute; relative paths start here. */
  readonly cwd: string
  readonly readFile: ReadFile
  /** Values from the command line by key (`{ port: '0' }` for `--port 0`); they win over everything. */
  readonly overrides?: Environment | undefined
}

export interface LoadedConfig {
  readonly config: Config
  /** Things that work but are probably not meant. */
  readonly warnings: readonly string[]
  /** Where each value comes from; every key has one. */
  readonly origins: ReadonlyMap<Key, Origin>
  /** The configuration file in use, as the user would name it. */
  readonly file: string | undefined
}

/** The settings cannot be used. Carries every issue at once; none of the messages quotes a secret. */
export class ConfigError extends Error {
  readonly issues: readonly string[]
  /** They often explain an issue: a mistyped variable is only a warning, but the setting that is missing because of it is an issue. */
  readonly warnings: readonly string[]

  constructor(issues: readonly string[], warnings: readonly string[]) {
    super(issues.join('\n'))
    this.name = 'ConfigError'
    this.issues = issues
    this.warnings = warnings
  }
}

/**
 * Works out the settings: defaults, then the configuration file, then the environment, then the command line; later ones win.
 * A value that loses is checked all the same. Throws `ConfigError` when anything is wrong.
 */
export function loadConfig(input: ConfigInput): LoadedConfig {
  const file = readConfigFile(input)
  const sources: readonly Source[] = [file, readEnvironment(input), readOverrides(input.overrides ?? {})]
  const given = sources.flatMap((source) => source.given)
  const issues = sources.flatMap((source) => source.issues)
  const warnings = sources.flatMap((source) => source.warnings)

  const chosen = new Map<Key, Chosen>()
  for (const each of given) {
    const parsed = parse(each)
    if (parsed.ok) chosen.set(each.key, { value: parsed.value, origin: each.origin })
    else issues.push(...parsed.issues.map((issue) => issueAt(each, issue)))
  }

  const config = complete(chosen, input.cwd)
  if (file.complete) {
    const mentioned = new Set(given.map((each) => each.key))
    const findings = crossCheck(config, (key) => mentioned.has(key))
    issues.push(...findings.issues)
    warnings.push(...findings.warnings)
  }
  if (issues.length > 0) throw new ConfigError(issues, warnings)
  const origins = new Map<Key, Origin>(keys.map((key) => [key, chosen.get(key)?.origin ?? { from: 'default' }]))
  return { config, warnings, origins, file: file.path }
}

interface Chosen {
  readonly value: unknown
  readonly origin: Origin
}

function parse(given: RawSetting) {
  const { parser } = settings[given.key]
  return 'text' in given.value ? parser.fromText(given.value.text) : parser.fromToml(given.value.toml)
}

function readOverrides(overrides: Environment): Source {
  const given: RawSetting[] = []
  const issues: string[] = []
  for (const [key, text] of Object.entries(overrides)) {
    const name = `--${key.replaceAll('_', '-')}`
    if (text === undefined) continue
    if (isKey(key)) given.push({ key, origin: { from: 'command line', name }, value: { text } })
    else {
      const near = closest(key, keys)
      issues.push(
        `${name}: no such setting${near === undefined ? '' : `, did you mean --${near.replaceAll('_', '-')}?`}`,
      )
    }
  }
  return { given, issues, warnings: [] }
}

/** Fills in the defaults. */
function complete(chosen: ReadonlyMap<Key, Chosen>, cwd: string): Config {
  const known = { registration: chosen.get('registration')?.value ?? settings.registration.fallback }
  const values: Record<string, unknown> = {}
  for (const key of keys) {
    const setting: Setting<unknown> = settings[key]
    const given = chosen.get(key)
    const value = given === undefined ? (setting.derive?.(known) ?? setting.fallback) : given.value
    values[camelCase(key)] = setting.parser.name === 'path' && typeof value === 'string' ? resolve(cwd, value) : value
  }
  if (!isConfig(values)) throw new Error('the table of settings is inconsistent')
  return Object.freeze(values)
}

/** The parsers guarantee the types of the values, so all that is left to check is that no setting is missing. */
function isConfig(values: Record<string, unknown>): values is Config {
  return keys.every((key) => camelCase(key) in values)
}
