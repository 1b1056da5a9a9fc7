import { expect, test } from 'bun:test'
import { killAgainAndAgain } from './kill/run.ts'

const ROUNDS = 12
const SEED = 20250302

// scripts/kill-test.ts runs more rounds.
test('a server that is killed repeatedly under load loses nothing that it has acknowledged', async () => {
  const report = await killAgainAndAgain({ rounds: ROUNDS, seed: SEED })
  expect(report.rounds).toBe(ROUNDS)
  // The kills must have come during requests.
  expect(report.answered).toBeGreaterThan(500)
  expect(report.unanswered.stored + report.unanswered.lost).toBeGreaterThan(0)
  expect(report.actions).toBeGreaterThan(500)
})
