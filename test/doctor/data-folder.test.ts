import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type FolderFacts,
  findProblem,
  hostId,
  type Place,
  readFolder,
  readOnlyMount,
  riskyFileSystem,
} from '../../src/doctor/data-folder.ts'
import { dataFolder } from '../../src/doctor/local-checks.ts'
import type { Finding } from '../../src/domain/server/doctor.ts'
import { tempDirs } from '../store/temp-dir.ts'

const dirs = tempDirs()

const place = (path: string, changes: Partial<Place> = {}): Place => ({
  ...{ path, uid: 10001, gid: 10001, mode: 0o40700, isFolder: true, isUsable: true, isOpen: true },
  ...changes,
})
const ROOTS = { uid: 0, gid: 0, mode: 0o40755, isUsable: false }
const file = (changes: Partial<Place>) => place('/srv/data/podstep.db', { isFolder: false, mode: 0o100600, ...changes })

const SOUND: FolderFacts = {
  ...{ dataDir: '/srv/data', uid: 10001, gid: 10001, onHost: { uid: 10001, gid: 10001 } },
  folders: [place('/'), place('/srv'), place('/srv/data')],
  files: [file({})],
  ...{ readOnlyMount: undefined, isSelinuxEnforcing: false, isInContainer: false },
  ...{ freeBytes: 1e9, riskyFileSystem: undefined },
}

const CHOWN = 'sudo chown -R 10001:10001 /srv/data'
const CHMOD = 'chmod -R u+rwX /srv/data'

type Expected = Pick<Finding, 'code'> & Partial<Finding>

/** The finding for a file or folder that the server may not use. */
const foreign = (path: string, owner: number, group: number, mode: string, rest: Partial<Expected> = {}): Expected => ({
  ...{ code: 'folder_foreign', command: CHOWN, values: { uid: 10001, gid: 10001, path, owner, group, mode } },
  ...rest,
})

test.each([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xff534d42 | 0, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0xef53, undefined],
  [0x9123683e, undefined],
  [0x58465342, undefined],
  [0x794c7630, undefined],
  [0x01021994, undefined],
])('a file system of type %p is reported as %p', (type, name) => {
  expect(riskyFileSystem(type)).toBe(name)
  const { code, values } = dataFolder({ ...SOUND, riskyFileSystem: name })
  expect(code).toBe(name === undefined ? 'folder_ok' : 'folder_network')
  if (name !== undefined) expect(values).toEqual({ path: '/srv/data', type: name })
})

describe('the problem of a data folder, and the command that solves it', () => {
  const DATA = '/srv/data'
  const DB = '/srv/data/podstep.db'
  const rootOwned = { folders: [place('/'), place(DATA, ROOTS)] }
  const namespace = { uid: 0, gid: 0, onHost: { uid: 1000, gid: 1001 } }
  const noFolder = (changes: Partial<Place>) => ({ folders: [place('/'), place('/srv', changes)], files: [] })
  const volume = { code: 'folder_foreign_volume' } as const
  const install = { command: 'sudo install -d -o 10001 -g 10001 -m 700 /srv/data' }
  const at = (path: string) => ({ values: { path } })
  const CONTAINER = { isInContainer: true }
  const mount = { values: { mount: '/srv' } }
  const remount = { ...mount, command: 'sudo mount -o remount,rw /srv' }
  const SELINUX = { isSelinuxEnforcing: true }
  const restorecon = 'sudo restorecon -RFv /srv/data'
  const unmapped = { folders: [place(DATA, { ...ROOTS, uid: 65534, gid: 65534 })], ...namespace, ...CONTAINER }

  test.each<[string, Partial<FolderFacts>, string, Expected]>([
    ['the folder of another user', rootOwned, 'SQLITE_CANTOPEN', foreign(DATA, 0, 0, '0755')],
    ['the database of another user', { files: [file({ ...ROOTS, mode: 0o100600 })] }, '', foreign(DB, 0, 0, '0600')],
    ['chmod by its owner', { files: [file({ uid: 7, mode: 0o100660 })] }, 'EPERM', foreign(DB, 7, 10001, '0660')],
    ['in a container', { ...rootOwned, ...CONTAINER }, 'EACCES', foreign(DATA, 0, 0, '0755', volume)],
    ['in a user namespace', { ...rootOwned, ...namespace }, 'EACCES', { code: 'folder_foreign', command: CHMOD }],
    ['unmapped in a namespace', unmapped, 'EACCES', { ...volume, command: 'sudo chown -R 1000:1001 /srv/data' }],
    [
      'an own folder without write permission',
      { folders: [place(DATA, { mode: 0o40500, isUsable: false })] },
      '',
      foreign(DATA, 10001, 10001, '0500', { command: CHMOD }),
    ],
    ['no folder, in that of another user', noFolder(ROOTS), 'EACCES', foreign('/srv', 0, 0, '0755', install)],
    [
      'a parent folder that cannot be entered',
      noFolder({ ...ROOTS, mode: 0o40750, isOpen: false }),
      'EACCES',
      foreign('/srv', 0, 0, '0750', { command: 'sudo chmod a+x /srv' }),
    ],
    ['a file', { folders: [place(DATA, { isFolder: false })] }, 'EEXIST', { code: 'folder_no_folder', ...at(DATA) }],
    ['a read-only mount', { readOnlyMount: '/srv' }, 'EROFS', { code: 'folder_read_only', ...remount }],
    ['a read-only volume', { ...CONTAINER, readOnlyMount: '/srv' }, '', { code: 'folder_read_only_volume', ...mount }],
    ['a full disk', {}, 'ENOSPC', { code: 'folder_full', command: 'df -h /srv/data' }],
    ['a disk with next to nothing', { freeBytes: 4096 }, '', { code: 'folder_full' }],
    ['SELinux', SELINUX, 'EACCES', { code: 'folder_selinux', command: restorecon }],
    ['SELinux and a container', { ...SELINUX, ...CONTAINER }, 'EACCES', { code: 'folder_selinux_volume' }],
    ['a folder as database', { files: [file({ isFolder: true })] }, '', { code: 'folder_no_file', ...at(DB) }],
  ])('%s', (_title, facts, errorCode, expected) => {
    expect(findProblem({ ...SOUND, ...facts }, errorCode)).toMatchObject(expected)
  })

  test('a path with spaces and quotes is quoted for the shell', () => {
    const dataDir = `/srv/ida's pods`
    const trouble = findProblem({ ...SOUND, dataDir, folders: [place(dataDir, ROOTS)] })
    expect(trouble?.command).toBe(`sudo chown -R 10001:10001 '/srv/ida'\\''s pods'`)
  })

  test('none if nothing is wrong', () => {
    expect(findProblem(SOUND)).toBeUndefined()
    expect(findProblem(SOUND, 'SQLITE_CANTOPEN')).toBeUndefined()
    // For root, the owner does not matter.
    expect(findProblem({ ...SOUND, uid: 0, gid: 0 }, 'SQLITE_CANTOPEN')).toBeUndefined()
  })
})

test.each([
  ['rw above ro', '/dev/a / ext4 ro,relatime 0 0\n/dev/b /srv ext4 rw 0 0\n', '/srv/data', undefined],
  ['ro above rw', '/dev/a / ext4 rw 0 0\n/dev/b /srv/data ext4 ro,nosuid 0 0\n', '/srv/data', '/srv/data'],
  ['the later of two', '/dev/a /srv ext4 rw 0 0\n/dev/b /srv ext4 ro 0 0\n', '/srv/data', '/srv'],
  ['a name with the same prefix', '/dev/a / ext4 rw 0 0\n/dev/b /srv ext4 ro 0 0\n', '/srvs/data', undefined],
  ['a name with a space', '/dev/a /my\\040pods ext4 ro 0 0\n', '/my pods/data', '/my pods'],
  ['no list of mounts', '', '/srv/data', undefined],
])('the read-only mount of a folder: %s', (_title, mounts, path, expected) => {
  expect(readOnlyMount(mounts, path)).toBe(expected)
})

test.each([
  ['of a machine', '         0          0 4294967295\n', 1000, 1000],
  ['of root in a rootless container', '0 1000 1\n1 100000 65536\n', 0, 1000],
  ['of other users in it', '         0       1000          1\n         1     100000      65536\n', 10001, 110000],
  ['that is not available', '', 7, 7],
])('the user ID on the host, by the map %s', (_title, map, id, expected) => {
  expect(hostId(map, id)).toBe(expected)
})

describe('the facts of a real folder', () => {
  test('owner, mode, files and free space', () => {
    const dataDir = dirs.make()
    chmodSync(dataDir, 0o700)
    writeFileSync(join(dataDir, 'podstep.db'), '', { mode: 0o600 })
    const facts = readFolder(dataDir)
    expect(facts.folders.at(-1)).toMatchObject({ path: dataDir, uid: facts.uid, isFolder: true, isUsable: true })
    expect(facts.files.map(({ path, isUsable }) => [path, isUsable])).toEqual([[join(dataDir, 'podstep.db'), true]])
    expect(facts.freeBytes).toBeGreaterThan(0)
    expect(findProblem(facts)).toBeUndefined()
  })

  test('the nearest existing parent of a missing folder', () => {
    const dataDir = join(dirs.make(), 'one', 'two')
    expect(readFolder(dataDir).folders.at(-1)).toMatchObject({ path: join(dataDir, '../..'), isUsable: true })
  })
})
