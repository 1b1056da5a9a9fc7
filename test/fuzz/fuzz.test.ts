import { expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { createFuzzer } from './run.ts'

const SEED = 20261124
const ROUNDS = 6
const REQUESTS = 400

test('random requests cause no internal error, reveal no secret and change no data of other users', async () => {
  const app = startTestApp({ settings: { rate_limit: 'false', registration: 'open' } })
  const fuzzer = await createFuzzer({ seed: SEED, target: app, root: await signUp(app, 'root') })
  for (let round = 0; round < ROUNDS; round++) expect([SEED, await fuzzer.round(REQUESTS)]).toEqual([SEED, []])
  await app.idle()

  expect(await fuzzer.findChange()).toBeUndefined()
  expect(app.db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  expect(app.db.query('PRAGMA foreign_key_check').values()).toEqual([])
  expect(app.logs.filter((line) => line.includes('"level":"error"'))).toEqual([])
  expect(app.logs.filter((line) => fuzzer.secrets.some((secret) => line.includes(secret)))).toEqual([])
  // Enough requests must pass the first checks.
  expect(fuzzer.statuses.get(200)).toBeGreaterThan((ROUNDS * REQUESTS) / 8)
  expect([...fuzzer.statuses.keys()].length).toBeGreaterThan(8)
})
