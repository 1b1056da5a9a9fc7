import { resolve } from 'node:path'
import { checkCombinations } from './combinations.ts'
import { readEnvironment } from './environment.ts'
import { readConfigFile } from './file.ts'
import { type Environment, type Origin, problemAt, type RawSetting, type ReadFile, type Source } from './given.ts'
import { type Config, camelCase, isKey, type Key, keys, type Setting, settings } from './options.ts'
import { closest } from './suggest.ts'

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

/** The settings cannot be used. Holds every mistake at once; no text in it quotes a secret. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]
  /** Often the explanation of a mistake: a mistyped variable is only a warning, what lacks because of it is a mistake. */
  readonly warnings: readonly string[]

  constructor(mistakes: readonly string[], warnings: readonly string[]) {
    super(mistakes.join('\n'))
    this.name = 'ConfigError'
    this.mistakes = mistakes
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
  const mistakes = sources.flatMap((source) => source.mistakes)
  const warnings = sources.flatMap((source) => source.warnings)

  const chosen = new Map<Key, Chosen>()
  for (const each of given) {
    const parsed = parse(each)
    if (parsed.ok) chosen.set(each.key, { value: parsed.value, origin: each.origin })
    else mistakes.push(...parsed.problems.map((problem) => problemAt(each, problem)))
  }

  const config = complete(chosen, input.cwd)
  if (file.complete) {
    const mentioned = new Set(given.map((each) => each.key))
    const findings = checkCombinations(config, (key) => mentioned.has(key))
    mistakes.push(...findings.mistakes)
    warnings.push(...findings.warnings)
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes, warnings)
  const origins = new Map<Key, Origin>(keys.map((key) => [key, chosen.get(key)?.origin ?? { from: 'default' }]))
  return { config, warnings, origins, file: file.path }
}

interface Chosen {
  readonly value: unknown
  readonly origin: Origin
}

function parse(given: RawSetting) {
  const { kind } = settings[given.key]
  return 'text' in given.value ? kind.fromText(given.value.text) : kind.fromToml(given.value.toml)
}

function readOverrides(overrides: Environment): Source {
  const given: RawSetting[] = []
  const mistakes: string[] = []
  for (const [key, text] of Object.entries(overrides)) {
    const name = `--${key.replaceAll('_', '-')}`
    if (text === undefined) continue
    if (isKey(key)) given.push({ key, origin: { from: 'command line', name }, value: { text } })
    else {
      const near = closest(key, keys)
      mistakes.push(
        `${name}: no such setting${near === undefined ? '' : `, did you mean --${near.replaceAll('_', '-')}?`}`,
      )
    }
  }
  return { given, mistakes, warnings: [] }
}

/** Fills in the defaults. */
function complete(chosen: ReadonlyMap<Key, Chosen>, cwd: string): Config {
  const known = { registration: chosen.get('registration')?.value ?? settings.registration.fallback }
  const values: Record<string, unknown> = {}
  for (const key of keys) {
    const setting: Setting<unknown> = settings[key]
    const given = chosen.get(key)
    const value = given === undefined ? (setting.derive?.(known) ?? setting.fallback) : given.value
    values[camelCase(key)] = setting.kind.name === 'path' && typeof value === 'string' ? resolve(cwd, value) : value
  }
  if (!isConfig(values)) throw new Error('the table of settings is inconsistent')
  return Object.freeze(values)
}

/** The kinds of the table guarantee the types of the values; what is left to check is that none lacks. */
function isConfig(values: Record<string, unknown>): values is Config {
  return keys.every((key) => camelCase(key) in values)
}
