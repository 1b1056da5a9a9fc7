import { ConfigError, type ConfigInput, type LoadedConfig, loadConfig } from '../../src/config/load.ts'

export interface World {
  /** Content of ./config.toml. */
  readonly toml?: string
  readonly env?: ConfigInput['env']
  /** Other files by absolute path; the working directory is /srv. */
  readonly files?: Readonly<Record<string, string>>
  /** `--config` */
  readonly file?: string
  readonly overrides?: ConfigInput['overrides']
}

/** Loads the settings from a record of files. */
export function loadWith(world: World): LoadedConfig {
  const { file, env = {}, overrides } = world
  const files: Readonly<Record<string, string | undefined>> = { '/srv/config.toml': world.toml, ...world.files }
  return loadConfig({ file, env, cwd: '/srv', readFile: (path) => files[path], overrides })
}

/** The error of invalid settings. */
export function refusal(world: World): ConfigError {
  try {
    loadWith(world)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('the settings were accepted')
}

export const issues = (world: World) => refusal(world).issues
