import { expect, test } from 'bun:test'
import { countedDatabase } from '../../support/database.ts'
import { DEVICES, GROUPS, openSync } from './scene.ts'

// activity.test.ts tests which requests count as use of a device.

test('last uses of devices are written every five minutes, once per device, and only if they changed', async () => {
  const { db, during } = countedDatabase()
  const { app, ida } = await openSync({ db, settings: { rate_limit: 'false' } })
  const job = app.jobs.find(({ name }) => name === 'last seen')
  expect(job?.pattern).toBe('*/5 * * * *')
  for (const device of ['phone', 'desk']) await ida.post(`/api/2/devices/ida/${device}.json`, {})
  const updates = async () => {
    const statements = await during(async () => {
      job?.run()
      await app.idle()
    })
    return statements.filter((sql) => sql.startsWith('UPDATE'))
  }
  await updates()
  app.clock.advance(3600)
  await ida.post(GROUPS, { synchronize: [['phone', 'desk']] })
  await app.idle()
  expect(await updates()).toEqual([])
  for (let n = 0; n < 10; n++) await ida.get('/subscriptions/ida/phone.json')
  await ida.get('/subscriptions/ida/desk.json')
  expect(await updates()).toHaveLength(2)
  expect(await updates()).toEqual([])
  const last_contact = '2025-03-02T11:00:00'
  expect((await ida.get(DEVICES)).json).toMatchObject([{ last_contact }, { last_contact }])
})
