import { describe, expect, test } from 'bun:test'
import { BackupFailure } from '../../../src/domain/server/backups.ts'
import { startTestApp } from '../../support/app.ts'
import { scriptedBackups } from '../../support/backups.ts'
import { signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'

const BACKUPS = '/api/admin/backups'
const MADE = {
  ...{ ok: true, at: '2025-03-02T10:00:00', seconds: 0, trouble: '', cause: '' },
  ...{ file: 'podstep-20250302T100000Z.db', bytes: 4096 },
}

const STATUS = { enabled: true, running: false, overdue: false, next: '2025-03-03T04:30:00', keep: 2 }

async function open() {
  const folder = scriptedBackups()
  const app = startTestApp({ backupStore: folder, settings: { backup_keep: '2', backup_cron: '30 4 * * *' } })
  return { app, folder, ida: await signUp(app) }
}

describe(`POST ${BACKUPS}`, () => {
  test('makes a backup, lists it, and is recorded in the audit log', async () => {
    const { ida } = await open()
    const { status, json } = await ida.post(BACKUPS)
    expect([status, json]).toEqual([200, { status: 'ok', backup: MADE }])
    const { file, at, bytes } = MADE
    const backups = [{ file, at, bytes }]
    expect((await ida.get(BACKUPS)).json).toEqual({ ...STATUS, last: MADE, last_good: backups[0], backups })
    expect((await ida.get('/api/admin/server')).json).toMatchObject({ backup: { enabled: true, last: MADE } })
    expect((await ida.get('/api/admin/audit')).json).toMatchObject({
      entries: [{ action: 'backup_requested', actor: 'ida', via: 'api', user: '' }, { action: 'user_created' }],
    })
  })

  test('reports why it failed', async () => {
    const { ida, folder } = await open()
    folder.script.make = async () => {
      throw new BackupFailure('not enough room', 'no_room')
    }
    const answer = await ida.post(BACKUPS)
    expectError(answer, 503, 'backup_failed')
    expect(answer.json).toMatchObject({ message: 'the backup failed: not enough room' })
    expect((await ida.get(BACKUPS)).json).toMatchObject({
      last: { ...MADE, ok: false, file: '', bytes: 0, trouble: 'no_room', cause: 'not enough room' },
      backups: [],
    })
  })
})

test('a stopping server aborts its backup', async () => {
  const { app, folder } = await open()
  app.beginStop()
  expect(folder.calls).toEqual(['abort'])
})

test('an overdue backup runs once its scheduled time has passed', async () => {
  const folder = scriptedBackups()
  // Noon on the first of a month; the clock begins on 2 March.
  const app = startTestApp({ backupStore: folder, settings: { backup_cron: '0 12 1 * *' } })
  const runAfter = async (days: number) => {
    app.clock.advance(days * 86_400)
    app.jobs.find(({ name }) => name === 'overdue backup')?.run()
    await app.idle()
    return folder.files.length
  }
  expect([await runAfter(0), await runAfter(20), await runAfter(20), await runAfter(1)]).toEqual([1, 1, 2, 2])
})
