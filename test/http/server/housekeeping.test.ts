import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { clientOf, signUp } from '../../support/client.ts'
import { names, outbox, runJob } from '../accounts.ts'

const DAY = 24 * 3600

/** A server by invitation with administrator ida. */
async function open() {
  const app = startTestApp({ settings: { registration: 'invite' }, mailer: outbox().mailer })
  return { app, ida: await signUp(app) }
}

test('an account that nobody activates is gone after 30 days, and the log says how much went, and of whom nothing', async () => {
  const { app } = await open()
  const kai = { username: 'kai', password: 'pebbles', email: 'kai@pods.example' }
  await clientOf(app).post('/api/2/register', kai)
  app.clock.advance(30 * DAY)
  await runJob(app, 'housekeeping')
  expect(await names(app)).toEqual(['ida', 'kai'])
  app.clock.advance(1)
  app.logs.length = 0
  await runJob(app, 'housekeeping')
  const removed = { sessions: 0, tokens: 0, pendingAccounts: 1, auditEntries: 0 }
  expect(app.logs.map((line): unknown => JSON.parse(line))).toEqual([
    { level: 'info', time: expect.any(String), msg: 'removed what has expired', ...removed },
  ])
  expect(await names(app)).toEqual(['ida'])
})
