import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainFolder, resultLines, resultsJson } from '../../../src/cli/doctor/words.ts'
import { readFolder } from '../../../src/doctor/data-folder.ts'
import type { CheckResult } from '../../../src/domain/server/doctor.ts'
import { tempDirs } from '../../store/temp-dir.ts'

const dirs = tempDirs()

const SPACE: CheckResult = {
  ...{ check: 'disk_space', status: 'warning', code: 'space_low', command: 'df -h /srv' },
  values: { free: 2_000_000, size: 1_000_000, needed: 65_200_000 },
}
const MAIL: CheckResult = { check: 'mail', status: 'error', code: 'mail_failed', values: {}, cause: 'refused: 535' }
const BACKUP: CheckResult = { check: 'backup', status: 'ok', code: 'backup_ok', values: { at: 1_740_909_600 } }

test('results as lines of text', () => {
  expect([BACKUP, MAIL, SPACE].map(resultLines).join('')).toBe(
    `ok       backup       The last one was made on 2025-03-02T10:00:00.000Z.
ERROR    mail         No email can be sent: refused: 535
                      Check the address, user name and password of the mail server.
WARNING  disk space   Only 2.0 MB free; the database takes 1.0 MB, and backups and updates need about 65.2 MB.
                      Make room. This shows how much there is: df -h /srv
`,
  )
})

test('results as JSON', () => {
  const backup = { check: 'backup', status: 'ok', code: 'backup_ok', what_to_do: null, command: null }
  const space = { check: 'disk_space', status: 'warning', code: 'space_low', command: 'df -h /srv' }
  expect(JSON.parse(resultsJson([BACKUP, SPACE]))).toEqual({
    ok: true,
    checks: [
      { ...backup, observed: 'The last one was made on 2025-03-02T10:00:00.000Z.' },
      {
        ...{ ...space, observed: expect.stringContaining('2.0 MB') },
        what_to_do: 'Make room. This shows how much there is: df -h /srv',
      },
    ],
  })
  expect(JSON.parse(resultsJson([MAIL])).ok).toBe(false)
})

test('an error is followed by the facts about the data folder', () => {
  const folder = dirs.make()
  const inFile = join(folder, 'file', 'data')
  writeFileSync(join(folder, 'file'), '')
  expect(explainFolder(inFile, new Error('no'))).toBe(
    `\n  ${join(folder, 'file')} is not a folder.\n  Choose a folder for the data, or move that file away.`,
  )
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const { uid, gid } = readFolder(dataDir)
  expect(explainFolder(dataDir, new Error('no'))).toBe(
    `\n  podstep runs as uid ${uid}, gid ${gid}; ${dataDir} belongs to uid ${uid}, gid ${gid}, with mode 0700.`,
  )
})
