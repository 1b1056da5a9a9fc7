import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { type Finding, found } from '../domain/server/doctor.ts'

export interface Place {
  readonly path: string
  readonly uid: number
  readonly gid: number
  readonly mode: number
  readonly isFolder: boolean
  readonly isUsable: boolean
  readonly isOpen: boolean
}

export interface FolderFacts {
  readonly dataDir: string
  readonly uid: number
  readonly gid: number
  readonly onHost: { readonly uid: number; readonly gid: number }
  readonly folders: readonly Place[]
  readonly files: readonly Place[]
  readonly readOnlyMount: string | undefined
  readonly isSelinuxEnforcing: boolean
  readonly isInContainer: boolean
  readonly freeBytes: number | undefined
  readonly riskyFileSystem: string | undefined
}

const FILES = ['podstep.db', 'podstep.db-wal', 'podstep.db-shm', 'podstep.lock', 'podstep.running']
const FULL_BYTES = 1_000_000

/** Finds the reason why a server cannot use the data folder; undefined if none is visible from outside. */
export function findProblem(facts: FolderFacts, errorCode = ''): Finding | undefined {
  const { dataDir, freeBytes = Number.POSITIVE_INFINITY } = facts
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(errorCode) || freeBytes < FULL_BYTES)
    return found('folder_full', { folder: dataDir }, { command: `df -h ${shell(dataDir)}` })
  if (facts.readOnlyMount !== undefined || errorCode === 'EROFS') return readOnly(facts)
  const noFolder = facts.folders.find(({ isFolder }) => !isFolder)
  if (noFolder) return found('folder_no_folder', { path: noFolder.path })
  const folder = facts.files.find(({ isFolder }) => isFolder)
  if (folder) return found('folder_no_file', { path: folder.path })
  return (
    permissions(facts) ??
    (/^(EACCES|EPERM|SQLITE_(CANTOPEN|READONLY|IOERR))/.test(errorCode) ? selinux(facts) : undefined)
  )
}

function readOnly({ readOnlyMount, isInContainer, dataDir }: FolderFacts): Finding {
  const mount = readOnlyMount ?? dataDir
  return isInContainer
    ? found('folder_read_only_volume', { mount })
    : found('folder_read_only', { mount }, { command: `sudo mount -o remount,rw ${shell(mount)}` })
}

function permissions(facts: FolderFacts): Finding | undefined {
  const { dataDir, uid, onHost, folders, files } = facts
  const closed = folders.find(({ isUsable }) => !isUsable)
  if (closed && closed.path !== dataDir) {
    const command = closed.isOpen
      ? `sudo install -d -o ${onHost.uid} -g ${onHost.gid} -m 700 ${shell(dataDir)}`
      : `sudo chmod a+x ${shell(closed.path)}`
    return found('folder_foreign', ownership(closed, facts), { command })
  }
  const foreign = [...(closed ? [closed] : []), ...files.filter(({ isUsable }) => !isUsable)]
  // Only the owner of a file may change its mode, and a server does so for database files.
  const [wrong] = [...foreign, ...files.filter((file) => uid !== 0 && file.uid !== uid)]
  if (!wrong) return undefined
  if (wrong.uid === uid)
    return found('folder_foreign', ownership(wrong, facts), { command: `chmod -R u+rwX ${shell(dataDir)}` })
  return found(facts.isInContainer ? 'folder_foreign_volume' : 'folder_foreign', ownership(wrong, facts), {
    command: `sudo chown -R ${onHost.uid}:${onHost.gid} ${shell(dataDir)}`,
  })
}

export function ownership({ path, uid, gid, mode }: Place, own: Pick<FolderFacts, 'uid' | 'gid'>) {
  return { uid: own.uid, gid: own.gid, path, owner: uid, group: gid, mode: octal(mode) }
}

export function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}

function selinux({ isSelinuxEnforcing, isInContainer, dataDir }: FolderFacts): Finding | undefined {
  if (!isSelinuxEnforcing) return undefined
  return isInContainer
    ? found('folder_selinux_volume', { folder: dataDir })
    : found('folder_selinux', { folder: dataDir }, { command: `sudo restorecon -RFv ${shell(dataDir)}` })
}

export function shell(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

export function readFolder(dataDir: string): FolderFacts {
  // Not `os.userInfo()`, which throws for a user without an entry in /etc/passwd.
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1]
  const folders = ancestors(dataDir).flatMap((path) => inspect(path, path === dataDir ? 'rwx' : 'x'))
  const nearest = folders.at(-1)
  // A missing folder is created in its parent.
  const parents =
    nearest && nearest.path !== dataDir ? [...folders.slice(0, -1), ...inspect(nearest.path, 'rwx')] : folders
  return {
    ...{ dataDir, uid, gid, folders: parents },
    onHost: {
      uid: hostId(readText('/proc/self/uid_map'), uid),
      gid: hostId(readText('/proc/self/gid_map'), gid),
    },
    files: FILES.flatMap((name) => inspect(join(dataDir, name), 'rw')),
    readOnlyMount: readOnlyMount(readText('/proc/self/mounts'), dataDir),
    isSelinuxEnforcing: readText('/sys/fs/selinux/enforce').trim() === '1',
    isInContainer: ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)),
    freeBytes: nearest && freeIn(nearest.path),
    riskyFileSystem: nearest && riskyFileSystemOf(nearest.path),
  }
}

function ancestors(path: string): readonly string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...ancestors(parent), path]
}

const MASKS = {
  rwx: constants.R_OK | constants.W_OK | constants.X_OK,
  rw: constants.R_OK | constants.W_OK,
  x: constants.X_OK,
}

function inspect(path: string, access: keyof typeof MASKS): readonly Place[] {
  try {
    const stat = statSync(path)
    const { uid, gid, mode } = stat
    const isFolder = stat.isDirectory()
    const isUsable = isAllowed(path, MASKS[access])
    return [{ path, uid, gid, mode, isFolder, isUsable, isOpen: isAllowed(path, MASKS.x) }]
  } catch {
    return []
  }
}

function isAllowed(path: string, mask: number): boolean {
  try {
    accessSync(path, mask)
    return true
  } catch {
    return false
  }
}

function freeIn(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

const RISKY_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x786f4256, 'VirtualBox'],
])

/** Returns the name of a file system on which SQLite's write-ahead log is unsafe; undefined for all others. */
export function riskyFileSystem(type: number): string | undefined {
  // The runtime may report numbers above 2^31 as negative.
  return RISKY_FILE_SYSTEMS.get(type >>> 0)
}

export function riskyFileSystemOf(path: string): string | undefined {
  return riskyFileSystem(Number(statfsSync(path).type))
}

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Returns the mount point of `path` if it is read-only. In /proc/mounts, the last of the longest matches counts. */
export function readOnlyMount(mounts: string, path: string): string | undefined {
  let found: { readonly point: string; readonly isReadOnly: boolean } | undefined
  for (const line of mounts.split('\n')) {
    const [, escaped = '', , options = ''] = line.split(' ')
    const point = escaped.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    )
    const holds = point === '/' || point === path || (point !== '' && path.startsWith(`${point}/`))
    if (holds && point.length >= (found?.point.length ?? 0))
      found = { point, isReadOnly: options.split(',').includes('ro') }
  }
  return found?.isReadOnly ? found.point : undefined
}

/** Maps a user or group ID to the host by the lines of /proc/self/uid_map: first ID here, first ID there, count. */
export function hostId(map: string, id: number): number {
  for (const line of map.trim().split('\n')) {
    const [inside = 0, outside = 0, count = 0] = line.trim().split(/\s+/).map(Number)
    if (id >= inside && id < inside + count) return outside + id - inside
  }
  return id
}
