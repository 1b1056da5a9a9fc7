import { writeFileSync } from 'node:fs'
import { createApp } from '../src/app.ts'
import { VERSION } from '../src/cli/help.ts'
import { loadConfig } from '../src/config/load.ts'
import { systemClock } from '../src/platform/clock.ts'
import { systemRandom } from '../src/platform/crypto.ts'
import { createLog } from '../src/platform/log.ts'
import { createPasswordHasher } from '../src/platform/password.ts'
import { openMemoryDatabase } from '../src/store/sqlite/core/open.ts'

// Writes the response of /openapi.json. A test fails if the file is out of date.
const { config } = loadConfig({ env: {}, cwd: '/', readFile: () => undefined })
const app = createApp(config, {
  engine: { sqlite: openMemoryDatabase() },
  clock: systemClock(),
  random: systemRandom(),
  hasher: createPasswordHasher(),
  log: createLog({ level: 'error', format: 'json', write: () => undefined }),
  version: VERSION,
})
const answer = await app.fetch(new Request('http://localhost/openapi.json'))
writeFileSync('docs/openapi.json', `${JSON.stringify(await answer.json(), null, 2)}\n`)
