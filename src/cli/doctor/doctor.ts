import { setTimeout as delay } from 'node:timers/promises'
import { doctorChecksOf, postgresFactsOf, quickCheckOf } from '../../adapters.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/options.ts'
import { readConnection } from '../../doctor/connection.ts'
import { CONNECTION_PATH, type Here } from '../../doctor/network-checks.ts'
import { type CheckResult, FINDINGS, found, hasError, runChecks } from '../../domain/server/doctor.ts'
import { systemClock, type Timer } from '../../platform/clock.ts'
import { createPasswordHasher } from '../../platform/password.ts'
import { VERSION } from '../help.ts'
import { CommandError, type Io } from '../io.ts'
import { readSettingsAsOwner } from '../open-app.ts'
import { askHere, serverHere } from '../running-server.ts'
import type { SettingOptions } from '../settings.ts'
import { resultLines, resultsJson } from './words.ts'

export interface DoctorOptions extends SettingOptions {
  readonly json?: boolean | undefined
}

const DATABASE_MS = 120_000

export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  const printResult = (result: CheckResult): void => {
    if (!options.json) io.out(resultLines(result))
  }
  let loaded: LoadedConfig
  try {
    loaded = readSettingsAsOwner(options, io)
  } catch (error) {
    if (!(error instanceof CommandError && options.json)) throw error
    const finding = found('settings_wrong', {}, { cause: error.message, command: 'podstep check-config' })
    io.out(resultsJson([{ check: 'settings', status: FINDINGS[finding.code], ...finding }]))
    return error.exitCode
  }
  const { config, ...settings } = loaded
  const clock = systemClock()
  const hasher = createPasswordHasher()
  const checks = doctorChecksOf(config, {
    ...{ version: VERSION, clock, settings, quickCheck: quickCheckOf(config), databaseMs: DATABASE_MS, arrivals: [] },
    postgres: postgresFactsOf(config, { clock, version: VERSION }),
    hash: () => hasher.hash(VERSION),
    askHere: (signal) => askRunning(config, signal),
  })
  const results = await runChecks(checks, keepingTimer, printResult)
  if (options.json) io.out(resultsJson(results))
  return hasError(results) ? 1 : 0
}

/** Keeps the process alive while it waits: threads and the feed worker do not. */
const keepingTimer: Timer = (ms, then) => {
  const off = new AbortController()
  void delay(ms, undefined, { signal: off.signal }).then(then, () => undefined)
  return () => off.abort()
}

async function askRunning(config: Config, signal: AbortSignal): Promise<Here> {
  // Called here, so that an unknown port is a finding rather than a fatal error.
  const here = serverHere(config)
  const response = await askHere(here, `${config.baseUrl?.path ?? ''}${CONNECTION_PATH}`, { signal })
  const { instance } = (await readConnection(response, systemClock())) ?? {}
  const ready = await askHere(here, '/readyz', { signal })
  return { instance, trouble: ready.ok ? undefined : (await ready.text()).slice(0, 300) }
}
