import { expect, test } from 'bun:test'
import { startTestApp } from './support/app.ts'
import { signUp } from './support/client.ts'

const problems = (logs: readonly string[]) =>
  logs.map((line): { level: string; msg: string } => JSON.parse(line)).filter(({ level }) => level !== 'info')

test('every job runs on a server that has nothing to do', async () => {
  const app = startTestApp({ settings: { log_level: 'info' } })
  for (const { run } of app.jobs) run()
  await app.idle()
  expect(problems(app.logs)).toEqual([])
})

test('a change that cannot be written, and work in the background that fails, are in the log', async () => {
  const app = startTestApp()
  const ida = await signUp(app)
  await app.idle()
  app.db.run('PRAGMA query_only = ON')
  expect(await ida.post('/api/2/devices/ida/phone.json', { caption: 'x' })).toMatchObject({ status: 503 })
  app.jobs.find(({ name }) => name === 'housekeeping')?.run()
  await app.idle()
  const told = problems(app.logs).map(({ msg }) => msg)
  expect(told).toContainEqual(expect.stringContaining('cannot write to the database'))
  expect(told).toContain('work in the background failed')
  app.db.run('PRAGMA query_only = OFF')
  expect(await ida.post('/api/2/devices/ida/phone.json', { caption: 'x' })).toMatchObject({ status: 200 })
})
