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
  ...{
    readOnlyMount: undefined,
    isSelinuxEnforcing: false,
    isInContainer: false,
    freeBytes: 1e9,
    riskyFileSystem: undefined,
  },
}

const foreign = (path: string, owner: number, group: number, mode: string) => ({
  ...{ uid: 10001, gid: 10001 },
  ...{ path, owner, group, mode },
})
const CHOWN = 'sudo chown -R 10001:10001 /srv/data'

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
])('a file system of the type %p is risky as %p', (type, name) => {
  expect(riskyFileSystem(type)).toBe(name)
  const { code, values } = dataFolder({ ...SOUND, riskyFileSystem: name })
  expect(code).toBe(name === undefined ? 'folder_ok' : 'folder_network')
  if (name !== undefined) expect(values).toEqual({ path: '/srv/data', type: name })
})

describe('what is wrong with a data folder, and what mends it', () => {
  type Case = [title: string, Partial<FolderFacts>, errorCode: string, Pick<Finding, 'code'> & Partial<Finding>]
  const cases: Case[] = [
    [
      'the folder of somebody else',
      { folders: [place('/'), place('/srv/data', ROOTS)] },
      'SQLITE_CANTOPEN',
      { code: 'folder_foreign', values: foreign('/srv/data', 0, 0, '0755'), command: CHOWN },
    ],
    [
      'a database of somebody else',
      { files: [file({ ...ROOTS, isFolder: false, mode: 0o100600 })] },
      '',
      { code: 'folder_foreign', values: foreign('/srv/data/podstep.db', 0, 0, '0600'), command: CHOWN },
    ],
    [
      'a database that only its owner may chmod',
      { files: [file({ uid: 7, mode: 0o100660 })] },
      'EPERM',
      { code: 'folder_foreign', values: foreign('/srv/data/podstep.db', 7, 10001, '0660'), command: CHOWN },
    ],
    [
      'in a container',
      { isInContainer: true, folders: [place('/srv/data', ROOTS)] },
      'EACCES',
      { code: 'folder_foreign_volume', values: foreign('/srv/data', 0, 0, '0755'), command: CHOWN },
    ],
    [
      'in the namespace of a user',
      { ...{ uid: 0, gid: 0, onHost: { uid: 1000, gid: 1001 } }, folders: [place('/srv/data', ROOTS)] },
      'EACCES',
      { code: 'folder_foreign', command: 'chmod -R u+rwX /srv/data' },
    ],
    [
      'of somebody else, in the namespace of a user',
      {
        ...{ isInContainer: true, uid: 0, gid: 0, onHost: { uid: 1000, gid: 1001 } },
        folders: [place('/srv/data', { ...ROOTS, uid: 65534, gid: 65534 })],
      },
      'EACCES',
      { code: 'folder_foreign_volume', command: 'sudo chown -R 1000:1001 /srv/data' },
    ],
    [
      'an own folder without the right to write',
      { folders: [place('/srv/data', { mode: 0o40500, isUsable: false })] },
      '',
      {
        ...{ code: 'folder_foreign', values: foreign('/srv/data', 10001, 10001, '0500') },
        command: 'chmod -R u+rwX /srv/data',
      },
    ],
    [
      'a folder to be made where nobody may',
      { folders: [place('/'), place('/srv', ROOTS)], files: [] },
      'EACCES',
      {
        ...{ code: 'folder_foreign', values: foreign('/srv', 0, 0, '0755') },
        command: 'sudo install -d -o 10001 -g 10001 -m 700 /srv/data',
      },
    ],
    [
      'a folder above that may not be entered',
      { folders: [place('/srv', { ...ROOTS, mode: 0o40750, isOpen: false })], files: [] },
      'EACCES',
      { code: 'folder_foreign', values: foreign('/srv', 0, 0, '0750'), command: 'sudo chmod a+x /srv' },
    ],
    [
      'a file in its place',
      { folders: [place('/srv/data', { isFolder: false })] },
      'EEXIST',
      { code: 'folder_no_folder', values: { path: '/srv/data' } },
    ],
    [
      'a read-only mount',
      { readOnlyMount: '/srv' },
      'EROFS',
      { code: 'folder_read_only', values: { mount: '/srv' }, command: 'sudo mount -o remount,rw /srv' },
    ],
    [
      'a read-only volume',
      { readOnlyMount: '/srv/data', isInContainer: true },
      '',
      { code: 'folder_read_only_volume', values: { mount: '/srv/data' } },
    ],
    ['a full disk', {}, 'ENOSPC', { code: 'folder_full', command: 'df -h /srv/data' }],
    ['a disk with next to nothing', { freeBytes: 4096 }, '', { code: 'folder_full' }],
    [
      'SELinux',
      { isSelinuxEnforcing: true },
      'EACCES',
      { code: 'folder_selinux', command: 'sudo restorecon -RFv /srv/data' },
    ],
    [
      'SELinux around a container',
      { isSelinuxEnforcing: true, isInContainer: true },
      'EACCES',
      { code: 'folder_selinux_volume' },
    ],
    [
      'a folder in the place of the database',
      { files: [file({ isFolder: true })] },
      'SQLITE_CANTOPEN',
      { code: 'folder_no_file', values: { path: '/srv/data/podstep.db' } },
    ],
  ]
  test.each(cases)('%s', (_title, facts, errorCode, expected) => {
    expect(findProblem({ ...SOUND, ...facts }, errorCode)).toMatchObject(expected)
  })

  test('a name with blanks and quotes is quoted for the shell', () => {
    const dataDir = `/srv/ida's pods`
    const trouble = findProblem({ ...SOUND, dataDir, folders: [place(dataDir, ROOTS)] })
    expect(trouble?.command).toBe(`sudo chown -R 10001:10001 '/srv/ida'\\''s pods'`)
  })

  test('nothing, where nothing can be seen', () => {
    expect(findProblem(SOUND)).toBeUndefined()
    expect(findProblem(SOUND, 'SQLITE_CANTOPEN')).toBeUndefined()
    // To root the owner does not matter.
    expect(findProblem({ ...SOUND, uid: 0, gid: 0 }, 'SQLITE_CANTOPEN')).toBeUndefined()
  })
})

test.each([
  ['rw above ro', '/dev/a / ext4 ro,relatime 0 0\n/dev/b /srv ext4 rw 0 0\n', '/srv/data', undefined],
  ['ro above rw', '/dev/a / ext4 rw 0 0\n/dev/b /srv/data ext4 ro,nosuid 0 0\n', '/srv/data', '/srv/data'],
  ['the later of two', '/dev/a /srv ext4 rw 0 0\n/dev/b /srv ext4 ro 0 0\n', '/srv/data', '/srv'],
  ['a name that only begins alike', '/dev/a / ext4 rw 0 0\n/dev/b /srv ext4 ro 0 0\n', '/srvs/data', undefined],
  ['a name with a blank', '/dev/a /my\\040pods ext4 ro 0 0\n', '/my pods/data', '/my pods'],
  ['no list of mounts', '', '/srv/data', undefined],
])('the mount of a folder: %s', (_title, mounts, path, expected) => {
  expect(readOnlyMount(mounts, path)).toBe(expected)
})

test.each([
  ['of a machine', '         0          0 4294967295\n', 1000, 1000],
  ['of root in a container without root', '0 1000 1\n1 100000 65536\n', 0, 1000],
  ['of others in it', '         0       1000          1\n         1     100000      65536\n', 10001, 110000],
  ['where it does not tell', '', 7, 7],
])('the user outside, by the map %s', (_title, map, id, expected) => {
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

  test('of one that is to be made: the nearest above it', () => {
    const dataDir = join(dirs.make(), 'one', 'two')
    expect(readFolder(dataDir).folders.at(-1)).toMatchObject({ path: join(dataDir, '../..'), isUsable: true })
  })
})
