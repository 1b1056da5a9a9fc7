import { expect, test } from 'bun:test'
import { startTestApp } from './support/app.ts'
import { signUp } from './support/client.ts'

const problems = (logs: readonly string[]) =>
  logs.map((line): { level: string; msg: string } => JSON.parse(line)).filter(({ level }) => level !== 'info')

test('every job runs without errors on an empty server', async () => {
  const app = startTestApp({ settings: { log_level: 'info' } })
  for (const { run } of app.jobs) run()
  await app.idle()
  expect(problems(app.logs)).toEqual([])
})

test('a disk that cannot be written is logged once, even if all jobs run', async () => {
  const app = startTestApp()
  const ida = await signUp(app)
  await ida.get('/api/2/subscriptions/ida/phone.json')
  await app.idle()
  app.db.run('PRAGMA query_only = ON')
  expect(await ida.post('/api/2/devices/ida/phone.json', { caption: 'x' })).toMatchObject({ status: 503 })
  for (const { run } of app.jobs) run()
  await app.idle()
  expect(problems(app.logs).map(({ msg }) => msg)).toEqual([expect.stringContaining('cannot write to the database')])
  app.db.run('PRAGMA query_only = OFF')
  expect(await ida.post('/api/2/devices/ida/phone.json', { caption: 'x' })).toMatchObject({ status: 200 })
})

test('internal errors of background work are logged', async () => {
  const app = startTestApp()
  app.db.run('DROP TABLE list_changes')
  app.jobs.find(({ name }) => name === 'changes of lists')?.run()
  await app.idle()
  expect(problems(app.logs).map(({ msg }) => msg)).toContain('work in the background failed')
})
