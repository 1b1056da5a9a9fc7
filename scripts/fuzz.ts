import { Database } from 'bun:sqlite'
import { parseArgs } from 'node:util'
import { complaints, startScene } from '../test/binary/support/scene.ts'
import { createFuzzer } from '../test/fuzz/run.ts'
import { dice } from '../test/support/values.ts'
import { openWire } from '../test/support/wire.ts'

/**
 * Long version of test/fuzz/fuzz.test.ts: sends random requests to the compiled server (dist/podstep) for some time.
 *
 *   bun scripts/fuzz.ts --seconds 120 --seed 7
 */

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } })
const seconds = Number(values.seconds ?? 120)
const seed = Number(values.seed ?? Date.now() % 1_000_000)

const REQUESTS = 500
/** Connections per round that send malformed HTTP. */
const WIRES = 20

const HEAD =
  'POST /api/2/episodes/ida.json?since=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n{"add":["x"]'

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function sendGarbage(port: number, roll: (sides: number) => number): Promise<void> {
  using wires = new DisposableStack()
  for (let n = 0; n < WIRES; n++) {
    const wire = wires.use(await openWire(port))
    const text = [...HEAD.slice(0, 1 + roll(HEAD.length))]
    for (let changes = roll(6); changes > 0; changes--) text[roll(text.length)] = String.fromCharCode(roll(256))
    wire.send(text.join(''))
  }
}

async function run(): Promise<void> {
  print(`fuzzing for ${seconds} s, seed ${seed}`)
  const roll = dice(seed)
  // No request may make the server contact another one.
  const env = { SVC_OUTBOUND: 'off', SVC_RATE_LIMIT: 'false', SVC_REGISTRATION: 'open', SVC_ACCESS_LOG: 'false' }
  await using scene = await startScene({ env })
  const { server, folder } = scene
  const fuzzer = await createFuzzer({ seed, target: server.target, root: scene.ida })
  const end = performance.now() + seconds * 1000
  let rounds = 0
  const found: string[] = []
  while (performance.now() < end && found.length === 0) {
    found.push(...(await fuzzer.round(REQUESTS)))
    await sendGarbage(server.port, roll)
    rounds++
  }
  const change = await fuzzer.findChange()
  if (change !== undefined) found.push(`what is another user's has changed\n${change}`)
  if ((await scene.anyone.get('/readyz')).status !== 200) found.push('it is not ready any more')
  await server.stop()
  // A line that is not JSON was not written by the logger: it is an uncaught error.
  const lines = server.log.filter((line) => line['level'] === 'error' || 'raw' in line)
  found.push(...lines.map((line) => `the log has ${JSON.stringify(line)}`))
  const logged = server.log.map((line) => JSON.stringify(line))
  found.push(...logged.filter((line) => fuzzer.secrets.some((secret) => line.includes(secret))))
  const db = new Database(folder.file('data/podstep.db'))
  for (const pragma of ['integrity_check', 'foreign_key_check']) {
    const result = JSON.stringify(db.query(`PRAGMA ${pragma}`).values())
    if (result !== '[["ok"]]' && result !== '[]') found.push(`${pragma}: ${result}`)
  }
  db.close()

  const statuses = [...fuzzer.statuses].sort(([one], [other]) => one - other)
  print(`rounds              ${rounds} (seed ${seed}, ${seconds} s)`)
  print(
    `requests            ${statuses.reduce((sum, [, count]) => sum + count, 0)}, and ${rounds * WIRES} of broken HTTP`,
  )
  print(`answers             ${statuses.map(([status, count]) => `${status}: ${count}`).join(', ')}`)
  print(`lines of warning    ${complaints(server).length}`)
  print(`broken rules        ${found.length}`)
  for (const each of found.slice(0, 20)) print(`\n${each}`)
  if (found.length > 0) process.exitCode = 1
}

await run()
