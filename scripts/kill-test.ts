import { parseArgs } from 'node:util'
import { type KillReport, killAgainAndAgain } from '../test/binary/kill/run.ts'

/**
 * Long version of test/binary/kill.test.ts: kills the compiled server (dist/podstep) repeatedly while clients write.
 *
 *   bun scripts/kill-test.ts --rounds 300 --seed 7
 */

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } })
const rounds = Number(values.rounds ?? 100)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const started = performance.now()

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function table({ answered, unanswered, killsWhileStarting, feeds, actions }: KillReport): string {
  const { stored, lost } = unanswered
  return [
    `rounds                        ${rounds} (seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s)`,
    `kills while starting, on top  ${killsWhileStarting}`,
    `requests acknowledged         ${answered}`,
    `uploads without an answer     ${stored + lost} (${stored} stored wholly, ${lost} not at all)`,
    `in the end                    ${feeds} subscriptions, ${actions} episode actions`,
    'broken promises               0',
  ].join('\n')
}

print(`killing ${rounds} times, seed ${seed}`)
killAgainAndAgain({
  rounds,
  seed,
  onRound: (round) => {
    if (round % 50 === 0) print(`round ${round}`)
  },
}).then(
  (report) => print(table(report)),
  (error: unknown) => {
    print(`FAILED with seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
  },
)
