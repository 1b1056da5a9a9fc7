import { expect, test } from 'bun:test'
import { killAgainAndAgain } from './kill/run.ts'

const ROUNDS = 12
const SEED = 20250302

test('killed in the middle of the work, again and again, the server keeps every promise (scripts/kill-test.ts for more rounds)', async () => {
  const report = await killAgainAndAgain({ rounds: ROUNDS, seed: SEED })
  expect(report.rounds).toBe(ROUNDS)
  // Otherwise the kills came when nobody was working.
  expect(report.answered).toBeGreaterThan(500)
  expect(report.unanswered.stored + report.unanswered.lost).toBeGreaterThan(0)
  expect(report.actions).toBeGreaterThan(500)
})
