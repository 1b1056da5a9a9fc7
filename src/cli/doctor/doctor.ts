import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { directoryOf, mailerOf, providerOf, startCheckWorker } from '../../adapters.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { isSecret } from '../../config/options.ts'
import { systemClock, systemTimer } from '../../platform/clock.ts'
import { quickCheck } from '../../store/sqlite/core/database-state.ts'
import { VERSION } from '../help.ts'
import { CommandError, type Io } from '../io.ts'
import { askAddress, askHere, serverHere } from '../running-server.ts'
import { readSettings, type SettingOptions } from '../settings.ts'
import { type CheckResult, failed, hasError, resultLines, resultsJson, runChecks } from './checks.ts'
import { localChecks } from './local-checks.ts'
import { networkChecks } from './network-checks.ts'

export interface DoctorOptions extends SettingOptions {
  readonly json?: boolean | undefined
}

const REQUEST_MS = 10_000

/** `podstep doctor`: looks for what is wrong, changes nothing, and says what to do. */
export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  const say = (result: CheckResult): void => {
    if (!options.json) io.out(resultLines(result))
  }
  let loaded: LoadedConfig
  try {
    loaded = readSettings(options, io)
  } catch (error) {
    if (!(error instanceof CommandError && options.json)) throw error
    const finding = failed(error.message, 'mend the settings; podstep check-config lists all that is wrong with them')
    io.out(resultsJson([{ check: 'settings', ...finding }]))
    return error.exitCode
  }
  const threads: Worker[] = []
  const results = await runChecks([...local(loaded, io, threads), ...network(loaded)], say)
  for (const thread of threads) thread.terminate()
  if (options.json) io.out(resultsJson(results))
  return hasError(results) ? 1 : 0
}

function local({ config, warnings, origins, file }: LoadedConfig, io: Io, threads: Worker[]) {
  const hasSecrets = [...origins].some(([key, { from }]) => isSecret(key) && from === 'file')
  return localChecks({
    ...{ config, warnings, clock: systemClock(), timer: systemTimer },
    file: file === undefined ? undefined : { path: resolve(io.cwd, file), hasSecrets },
    quickCheck(path) {
      const thread = startCheckWorker()
      threads.push(thread)
      const faults = quickCheck(path, () => thread)
      // A server goes on without it; here nothing else keeps the process until there is an answer.
      thread.ref()
      return faults
    },
  })
}

function network({ config }: LoadedConfig) {
  const clock = systemClock()
  const limited = (): RequestInit => ({ signal: AbortSignal.timeout(REQUEST_MS) })
  const prefix = (path: string) => (path === '/readyz' ? path : `${config.baseUrl?.path ?? ''}${path}`)
  return networkChecks({
    ...{ config, clock },
    // In here, so that a port that nobody knows is a finding and not the end.
    askHere: async (path) => askHere(serverHere(config), prefix(path), limited()),
    askAddress: (url) => askAddress(url, limited()),
    databaseTime: () => {
      const path = join(config.dataDir, 'podstep.db')
      // False as well in a folder that may not be entered, of which another check tells.
      return existsSync(path) ? statSync(path).mtimeMs / 1000 : undefined
    },
    mailer: mailerOf(config),
    provider: providerOf(config, clock),
    directory: directoryOf(config, VERSION, clock),
  })
}
