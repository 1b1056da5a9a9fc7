import { readFileSync } from 'node:fs'
import { effectiveConfig } from '../config/describe.ts'
import { ConfigError, type ConfigInput, type LoadedConfig, loadConfig } from '../config/load.ts'
import { readCertificate } from '../doctor/certificates.ts'
import { systemClock } from '../platform/clock.ts'
import { CommandError, type Io } from './io.ts'

export interface SettingOptions {
  readonly config?: string | undefined
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly 'data-dir'?: string | undefined
}

export const settingOptions = {
  config: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'data-dir': { type: 'string' },
} as const

/** Reads the settings in effect. Throws a `CommandError` (exit code 2) that lists all mistakes. */
export function readSettings(options: SettingOptions, io: Io): LoadedConfig {
  return loadSettings({
    file: options.config,
    env: io.env,
    cwd: io.cwd,
    readFile: (path) => readFileSync(path, 'utf8'),
    overrides: { host: options.host, port: options.port, data_dir: options['data-dir'] },
  })
}

export function loadSettings(input: ConfigInput): LoadedConfig {
  try {
    return loadConfig(input)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const warnings = error.warnings.map((warning) => `warning: ${warning}`)
    const issues = error.issues.map((issue) => `error: ${issue}`)
    throw new CommandError([...warnings, ...issues].join('\n'), 2)
  }
}

export function checkConfig(options: SettingOptions, io: Io): number {
  const loaded = readSettings(options, io)
  for (const warning of loaded.warnings) io.err(`warning: ${warning}\n`)
  const { tlsCert, tlsKey } = loaded.config
  if (tlsCert !== undefined && tlsKey !== undefined) {
    const { validUntil, warnings } = readCertificate({ tlsCert, tlsKey }, systemClock().seconds())
    for (const warning of warnings) io.err(`warning: ${warning}\n`)
    io.out(`# the TLS certificate is valid until ${new Date(validUntil * 1000).toISOString()}\n`)
  }
  io.out(effectiveConfig(loaded))
  return 0
}
