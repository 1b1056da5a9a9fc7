import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  explainFolder,
  type FolderFacts,
  type Place,
  readFolder,
  readOnlyMount,
  troubleOf,
} from '../../../src/cli/doctor/data-folder.ts'
import { tempDirs } from '../../store/temp-dir.ts'

const dirs = tempDirs()

const place = (path: string, changes: Partial<Place> = {}): Place => ({
  ...{ path, uid: 10001, gid: 10001, mode: 0o40700, isFolder: true, isUsable: true },
  ...changes,
})
const ROOTS = { uid: 0, gid: 0, mode: 0o40755, isUsable: false }
const file = (changes: Partial<Place>) => place('/srv/data/podstep.db', { isFolder: false, mode: 0o100600, ...changes })

const SOUND: FolderFacts = {
  ...{ dataDir: '/srv/data', uid: 10001, gid: 10001 },
  folders: [place('/'), place('/srv'), place('/srv/data')],
  files: [file({})],
  ...{ readOnlyMount: undefined, isSelinuxEnforcing: false, isInContainer: false, freeBytes: 1e9 },
}

const RUNS_AS = 'podstep runs as uid 10001, gid 10001, but '

describe('what is wrong with a data folder, and what mends it', () => {
  const cases: [string, Partial<FolderFacts>, string, string, string][] = [
    [
      ...([
        'the folder of somebody else',
        { folders: [place('/'), place('/srv/data', ROOTS)] },
        'SQLITE_CANTOPEN',
      ] as const),
      `${RUNS_AS}/srv/data belongs to uid 0, gid 0, with mode 0755`,
      'sudo chown -R 10001:10001 /srv/data',
    ],
    [
      ...([
        'a database of somebody else',
        { files: [file({ ...ROOTS, isFolder: false, mode: 0o100600 })] },
        '',
      ] as const),
      `${RUNS_AS}/srv/data/podstep.db belongs to uid 0, gid 0, with mode 0600`,
      'sudo chown -R 10001:10001 /srv/data',
    ],
    [
      ...([
        'a database that only its owner may chmod',
        { files: [file({ uid: 7, mode: 0o100660 })] },
        'EPERM',
      ] as const),
      `${RUNS_AS}/srv/data/podstep.db belongs to uid 7, gid 10001, with mode 0660`,
      'sudo chown -R 10001:10001 /srv/data',
    ],
    [
      ...(['in a container', { isInContainer: true, folders: [place('/srv/data', ROOTS)] }, 'EACCES'] as const),
      `${RUNS_AS}/srv/data belongs to uid 0, gid 0, with mode 0755`,
      'sudo chown -R 10001:10001 /srv/data, where that folder is outside of the container',
    ],
    [
      ...([
        'an own folder without the right to write',
        { folders: [place('/srv/data', { mode: 0o40500, isUsable: false })] },
        '',
      ] as const),
      `${RUNS_AS}/srv/data belongs to uid 10001, gid 10001, with mode 0500`,
      'chmod -R u+rwX /srv/data',
    ],
    [
      ...([
        'a folder to be made where nobody may',
        { folders: [place('/'), place('/srv', ROOTS)], files: [] },
        'EACCES',
      ] as const),
      `${RUNS_AS}/srv belongs to uid 0, gid 0, with mode 0755`,
      'sudo install -d -o 10001 -g 10001 -m 700 /srv/data',
    ],
    [
      ...([
        'a folder above that may not be entered',
        { folders: [place('/srv', { ...ROOTS, mode: 0o40750 }), place('/srv/data')] },
        '',
      ] as const),
      `${RUNS_AS}/srv belongs to uid 0, gid 0, with mode 0750`,
      'sudo chmod o+x /srv',
    ],
    [
      'a file in its place',
      { folders: [place('/srv/data', { isFolder: false })] },
      'EEXIST',
      '/srv/data is not a folder',
      'set data_dir to a folder, or move that file away',
    ],
    [
      ...(['a read-only mount', { readOnlyMount: '/srv' }, 'EROFS', '/srv is mounted read-only'] as const),
      'sudo mount -o remount,rw /srv (as a service under systemd, name the folder in ReadWritePaths= instead)',
    ],
    [
      'a read-only volume',
      { readOnlyMount: '/srv/data', isInContainer: true },
      '',
      '/srv/data is mounted read-only',
      'mount the volume at /srv/data without ":ro"',
    ],
    [
      'a full disk',
      {},
      'ENOSPC',
      'the disk is full',
      'make room on the disk of /srv/data; to see how much there is: df -h /srv/data',
    ],
    [
      'a disk with next to nothing',
      { freeBytes: 4096 },
      '',
      'the disk is full',
      'make room on the disk of /srv/data; to see how much there is: df -h /srv/data',
    ],
    [
      ...(['SELinux', { isSelinuxEnforcing: true }, 'SQLITE_CANTOPEN'] as const),
      'owner and mode are right, and SELinux is enforcing, so that it probably forbids the access',
      'sudo restorecon -RFv /srv/data, and see: sudo ausearch -m avc -ts recent',
    ],
    [
      ...(['SELinux around a container', { isSelinuxEnforcing: true, isInContainer: true }, 'EACCES'] as const),
      'owner and mode are right, and SELinux is enforcing, so that it probably forbids the access',
      'mount the volume at /srv/data with ":Z"',
    ],
    [
      ...(['a folder in the place of the database', { files: [file({ isFolder: true })] }, 'SQLITE_CANTOPEN'] as const),
      '/srv/data/podstep.db is a folder and not a file',
      'move that folder away',
    ],
  ]
  test.each(cases)('%s', (_title, facts, code, what, remedy) => {
    expect(troubleOf({ ...SOUND, ...facts }, code)).toEqual({ what, remedy })
  })

  test('a name with blanks and quotes is quoted for the shell', () => {
    const dataDir = `/srv/ida's pods`
    const trouble = troubleOf({ ...SOUND, dataDir, folders: [place(dataDir, ROOTS)] })
    expect(trouble?.remedy).toBe(`sudo chown -R 10001:10001 '/srv/ida'\\''s pods'`)
  })

  test('nothing, where nothing can be seen', () => {
    expect(troubleOf(SOUND)).toBeUndefined()
    expect(troubleOf(SOUND, 'SQLITE_CANTOPEN')).toBeUndefined()
    // To root the owner does not matter.
    expect(troubleOf({ ...SOUND, uid: 0, gid: 0 }, 'SQLITE_CANTOPEN')).toBeUndefined()
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

describe('the facts of a real folder', () => {
  test('owner, mode, files and free space', () => {
    const dataDir = dirs.make()
    chmodSync(dataDir, 0o700)
    writeFileSync(join(dataDir, 'podstep.db'), '', { mode: 0o600 })
    const facts = readFolder(dataDir)
    expect(facts.folders.at(-1)).toMatchObject({ path: dataDir, uid: facts.uid, isFolder: true, isUsable: true })
    expect(facts.files.map(({ path, isUsable }) => [path, isUsable])).toEqual([[join(dataDir, 'podstep.db'), true]])
    expect(facts.freeBytes).toBeGreaterThan(0)
    expect(troubleOf(facts)).toBeUndefined()
  })

  test('of one that is to be made: the nearest above it', () => {
    const dataDir = join(dirs.make(), 'one', 'two')
    expect(readFolder(dataDir).folders.at(-1)).toMatchObject({ path: join(dataDir, '../..'), isUsable: true })
  })

  test('are told with an error', () => {
    const folder = dirs.make()
    const inFile = join(folder, 'file', 'data')
    writeFileSync(join(folder, 'file'), '')
    expect(explainFolder(inFile, new Error('no'))).toContain(`${join(folder, 'file')} is not a folder\n  to mend it: `)
    const dataDir = join(folder, 'data')
    mkdirSync(dataDir, { mode: 0o700 })
    const { uid, gid } = readFolder(dataDir)
    expect(explainFolder(dataDir, new Error('no'))).toBe(
      `\n  podstep runs as uid ${uid}, gid ${gid}; ${dataDir} belongs to uid ${uid}, gid ${gid}, with mode 0700`,
    )
  })
})
