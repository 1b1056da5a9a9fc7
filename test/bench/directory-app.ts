import { createApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/load.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { systemRandom } from '../../src/platform/crypto.ts'
import { createLog } from '../../src/platform/log.ts'
import { createPasswordHasher } from '../../src/platform/password.ts'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'

export interface BenchApp {
  /** From the request to the last byte of the answer, without a network. Throws for all but status 200. */
  ask(path: string, headers?: Record<string, string>): Promise<{ readonly ms: number; readonly json: unknown }>
}

/** The whole program on the database in `dataDir`, in this process. */
export function openBenchApp(dataDir: string): BenchApp {
  const clock = systemClock()
  const { config } = loadConfig({ env: { SVC_RATE_LIMIT: 'false' }, cwd: dataDir, readFile: () => undefined })
  const { db } = openDatabase({ dataDir, version: 'bench', now: clock.seconds() })
  const { fetch } = createApp(config, {
    engine: { sqlite: db },
    clock,
    random: systemRandom(),
    hasher: createPasswordHasher(),
    log: createLog({ level: 'error', format: 'json', write: (line) => process.stderr.write(line) }),
    version: 'bench',
  })
  return {
    async ask(path, headers = {}) {
      const request = new Request(`http://localhost${path}`, { headers: { host: 'localhost', ...headers } })
      const started = performance.now()
      const response = await fetch(request)
      const text = await response.text()
      const ms = performance.now() - started
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
      return { ms, json: JSON.parse(text) }
    },
  }
}
