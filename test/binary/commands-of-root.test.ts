import { afterAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { startServer } from './support/server.ts'

/** User and group of the service. They exist as numbers only. */
const [UID, GID] = [10_001, 10_002]

/** Only root can become another user. */
const ifRoot = test.skipIf(process.getuid?.() !== 0)

const run = (folder: Folder, words: string) =>
  podstep([...words.split(' '), '--data-dir', folder.file('data')], { cwd: folder.path, stdin: 'seaglass' })

/** A folder that everyone can enter, with a data folder of the service's user. */
function openFolder(): Folder {
  const folder = emptyFolder()
  chmodSync(folder.path, 0o755)
  mkdirSync(folder.file('data'), { mode: 0o700 })
  chownSync(folder.file('data'), UID, GID)
  return folder
}

/** Owner and group of everything in a folder, by path. */
function ownersIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Map(names.map((name) => [name, ownerOf(join(folder, name))]))
}

function ownerOf(path: string): string {
  const { uid, gid } = lstatSync(path)
  return `${uid}:${gid}`
}

const OWN = `${UID}:${GID}`

/** A folder with a database that can be restored. */
const backup = emptyFolder()
afterAll(() => backup[Symbol.dispose]())
openDatabase({ dataDir: backup.path, version: 'test', now: 0 }).close()

describe('run by root in a data folder of another user', () => {
  ifRoot('commands leave only files of that user', async () => {
    using folder = openFolder()
    expect((await run(folder, 'user create ida')).code).toBe(0)
    expect((await run(folder, 'backup')).code).toBe(0)
    const [name = ''] = readdirSync(folder.file('data/backups'))
    expect(await run(folder, `restore data/backups/${name} --yes`)).toMatchObject({ code: 0 })
    expect((await run(folder, 'user list')).out).toContain('ida')
    const owners = ownersIn(folder.file('data'))
    expect([...owners.keys()]).toContain('podstep.db')
    expect(new Set(owners.values())).toEqual(new Set([OWN]))
    expect(statSync(folder.file('data/podstep.db')).mode & 0o777).toBe(0o600)
  })

  ifRoot('the server and all its threads run as that user for good', async () => {
    using folder = openFolder()
    await using server = await startServer({ cwd: folder.path, args: ['serve', '--data-dir', folder.file('data')] })
    const threads = readdirSync(`/proc/${server.pid}/task`)
    for (const thread of threads) {
      const status = readFileSync(`/proc/${server.pid}/task/${thread}/status`, 'utf8')
      expect(status).toContain(`\nUid:${`\t${UID}`.repeat(4)}\n`)
      expect(status).toContain(`\nGid:${`\t${GID}`.repeat(4)}\n`)
      expect(status).toContain(`\nGroups:\t${GID} \n`)
      expect(status).toMatch(/\nCapPrm:\t0+\n/)
    }
  })

  ifRoot('a missing folder is created by the owner of its parent', async () => {
    using folder = openFolder()
    const args = ['user', 'create', 'ida', '--data-dir', folder.file('data/deep/inside')]
    expect(await podstep(args, { cwd: folder.path, stdin: 'seaglass' })).toMatchObject({ code: 0 })
    expect(new Set(ownersIn(folder.file('data')).values())).toEqual(new Set([OWN]))
  })

  ifRoot('restoring a backup that the user cannot read fails with an explanation', async () => {
    using folder = openFolder()
    expect((await run(folder, 'user create ida')).code).toBe(0)
    expect((await run(folder, 'backup')).code).toBe(0)
    const [name = ''] = readdirSync(folder.file('data/backups'))
    copyFileSync(folder.file(`data/backups/${name}`), folder.file('secret.db'))
    chmodSync(folder.file('secret.db'), 0o600)
    const { code, err } = await run(folder, 'restore secret.db --yes')
    expect(code).toBe(1)
    expect(err).toContain('secret.db')
    expect(err).toContain(`Run by root, podstep works as user ${UID}, the owner of the data folder`)
    expect(readdirSync(folder.file('data'))).not.toContain('restore.partial')
  })

  const PLACES = ['podstep.lock', 'podstep.lock-journal', 'podstep.db', 'podstep.db-wal', 'podstep.db.restored']
  const COMMANDS = ['user create ida', 'user list', 'backup', 'restore backup.db --yes']

  for (const place of [...PLACES, 'restore.partial', 'backups'])
    ifRoot(`a link in the place of ${place} leaves its target as it is`, async () => {
      for (const command of COMMANDS) {
        using folder = openFolder()
        copyFileSync(backup.file('podstep.db'), folder.file('backup.db'))
        chmodSync(folder.file('backup.db'), 0o644)
        const target = folder.file('of-root')
        if (place === 'restore.partial' || place === 'backups') mkdirSync(target)
        else writeFileSync(target, 'root:x:0:0\n')
        chmodSync(target, 0o755)
        symlinkSync(target, folder.file(`data/${place}`))
        await run(folder, command)
        const { uid, gid, mode } = statSync(target)
        expect([command, uid, gid, mode & 0o7777]).toEqual([command, 0, 0, 0o755])
        expect(statSync(target).isFile() ? readFileSync(target, 'utf8') : readdirSync(target).join()).toBe(
          statSync(target).isFile() ? 'root:x:0:0\n' : '',
        )
      }
    })
})

ifRoot('in a folder of root, root works as the owner of the database in it', async () => {
  using folder = openFolder()
  expect((await run(folder, 'user create ida')).code).toBe(0)
  chownSync(folder.file('data'), 0, 0)
  chmodSync(folder.file('data'), 0o1777)
  expect((await run(folder, 'user create ole')).code).toBe(0)
  expect((await run(folder, 'backup')).code).toBe(0)
  expect(new Set(ownersIn(folder.file('data')).values())).toEqual(new Set([OWN]))
})

ifRoot('in a folder of root with a database of root, root stays root', async () => {
  using folder = emptyFolder()
  expect((await run(folder, 'user create ida')).code).toBe(0)
  expect(new Set(ownersIn(folder.file('data')).values())).toEqual(new Set(['0:0']))
})
