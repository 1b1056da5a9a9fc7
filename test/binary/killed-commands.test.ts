import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, watch } from 'node:fs'
import { requireBinary } from './support/binary.ts'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { createUser } from './support/scene.ts'

const made = emptyFolder()
afterAll(() => made[Symbol.dispose]())
await createUser(made, 'ida')
await podstep(['backup', 'ida.db'], { cwd: made.path })
await createUser(made, 'ole')
await podstep(['backup', 'both.db'], { cwd: made.path })

/** A folder with a database of ida and ole, and `ida.db`, an older backup with ida only. */
function scene() {
  const folder = emptyFolder()
  mkdirSync(folder.file('data'))
  copyFileSync(made.file('both.db'), folder.file('data/podstep.db'))
  copyFileSync(made.file('ida.db'), folder.file('ida.db'))
  return folder
}

/** Kills the command after `changes` changes to files in the folder. */
async function killAfter(changes: number, { path }: Folder, words: string): Promise<void> {
  let seen = 0
  const watcher = watch(path, { recursive: true }, () => {
    if (++seen >= changes) child.kill('SIGKILL')
  })
  const child = Bun.spawn([requireBinary(), ...words.split(' ')], {
    ...{ cwd: path, env: {}, stdout: 'ignore', stderr: 'ignore' },
  })
  await child.exited
  watcher.close()
}

function usersIn(path: string): unknown[] {
  const db = new Database(path)
  expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  const names = db.query('SELECT username FROM users ORDER BY id').values().flat()
  db.close()
  return names
}

const MOMENTS = [1, 3, 8, 18, 40]

test('a killed restore leaves the old database, or the new one with a copy of the old one, and can be repeated', async () => {
  const ends = new Set<string>()
  for (const moment of MOMENTS) {
    using folder = scene()
    await killAfter(moment, folder, 'restore ida.db --yes')
    const { code, out } = await podstep(['user', 'list'], { cwd: folder.path })
    expect(code).toBe(0)
    const users = usersIn(folder.file('data/podstep.db'))
    for (const name of users) expect(out).toContain(String(name))
    ends.add(users.join())
    const aside = readdirSync(folder.file('data')).filter((name) => name.endsWith('-before-restore.db'))
    expect(aside.map((name) => usersIn(folder.file(`data/${name}`)))).toEqual(
      users.length === 1 ? [['ida', 'ole']] : [],
    )
    expect((await podstep(['restore', 'ida.db', '--yes'], { cwd: folder.path })).code).toBe(0)
    expect(usersIn(folder.file('data/podstep.db'))).toEqual(['ida'])
    expect(readdirSync(folder.file('data')).filter((name) => /partial|restored/.test(name))).toEqual([])
  }
  for (const end of ends) expect(['ida', 'ida,ole']).toContain(end)
})

test('a killed backup leaves no file or a complete one, does not change the database, and can be repeated', async () => {
  for (const moment of MOMENTS) {
    using folder = scene()
    await killAfter(moment, folder, 'backup copy.db')
    if (existsSync(folder.file('copy.db'))) expect(usersIn(folder.file('copy.db'))).toEqual(['ida', 'ole'])
    expect(usersIn(folder.file('data/podstep.db'))).toEqual(['ida', 'ole'])
    expect((await podstep(['backup', 'copy.db', '--force'], { cwd: folder.path })).code).toBe(0)
    expect(usersIn(folder.file('copy.db'))).toEqual(['ida', 'ole'])
  }
})
