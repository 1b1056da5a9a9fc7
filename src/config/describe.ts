import { Secret } from '../platform/secret.ts'
import type { LoadedConfig } from './load.ts'
import { camelCase, isSecret, type Key, keys, settings } from './options.ts'
import { type Origin, originText } from './sources.ts'

export function effectiveConfig(loaded: LoadedConfig): string {
  const values: Readonly<Record<string, unknown>> = loaded.config
  const lines = keys.map((key) => {
    const value = values[camelCase(key)]
    const origin = originText(loaded.origins.get(key) ?? { from: 'default' })
    return value === undefined ? `# ${key} is not set` : `${key} = ${printValue(value)}  # ${origin}`
  })
  const head = loaded.file === undefined ? '# no configuration file' : `# configuration file: ${loaded.file}`
  return `${head}\n${lines.join('\n')}\n`
}

interface ListedSetting {
  readonly key: Key
  readonly value: string
  readonly origin: Origin['from']
  readonly isSecret: boolean
  readonly description: string
}

export function listSettings({ config, origins }: Pick<LoadedConfig, 'config' | 'origins'>): readonly ListedSetting[] {
  const values: Readonly<Record<string, unknown>> = config
  return keys.map((key) => {
    const value = values[camelCase(key)]
    const shown = isSecret(key) ? 'set' : printValue(value)
    return {
      key,
      value: value === undefined ? '' : shown,
      origin: origins.get(key)?.from ?? 'default',
      isSecret: isSecret(key),
      description: settings[key].doc,
    }
  })
}

export function printValue(value: unknown): string {
  if (value instanceof Secret) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  if (typeof value === 'object' && value !== null && 'href' in value) return JSON.stringify(value.href)
  return JSON.stringify(value)
}
