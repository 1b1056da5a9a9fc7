import type { Config } from '../config/options.ts'
import { CommandError, type Io } from './io.ts'
import { readSettings, type SettingOptions } from './settings.ts'

const TIMEOUT_MS = 3000

/** For containers: exit code 0 while the server on this machine can write its database. */
export async function healthcheck(options: SettingOptions, io: Io): Promise<number> {
  const { config } = readSettings(options, io)
  if (config.port === 0) throw new CommandError('with port = 0 nobody knows where to ask; set a port')
  const url = `http://${hostToAsk(config)}:${config.port}/readyz`
  try {
    // Straight to this machine, whatever proxy the environment names.
    const response = await fetch(url, { proxy: false, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.ok) return 0
    io.err(`${url} answered ${response.status}: ${(await response.text()).slice(0, 500)}\n`)
  } catch (error) {
    io.err(`${url} does not answer: ${error instanceof Error ? error.message : String(error)}\n`)
  }
  return 1
}

function hostToAsk({ host }: Config): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
