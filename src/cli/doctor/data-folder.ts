import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { codeOf } from '../../platform/unknown.ts'

/** A file or folder as the system sees it. */
export interface Place {
  readonly path: string
  readonly uid: number
  readonly gid: number
  readonly mode: number
  readonly isFolder: boolean
  /** Whether this process may do with it what a server has to. */
  readonly isUsable: boolean
}

export interface FolderFacts {
  readonly dataDir: string
  readonly uid: number
  readonly gid: number
  /** From the root to the data folder, as far as they exist and can be looked at. */
  readonly folders: readonly Place[]
  /** The files of the database that are in it. */
  readonly files: readonly Place[]
  /** Where the read-only file system is mounted that the folder is on. */
  readonly readOnlyMount: string | undefined
  readonly isSelinuxEnforcing: boolean
  readonly isInContainer: boolean
  readonly freeBytes: number | undefined
}

export interface FolderTrouble {
  readonly what: string
  /** The one command, or change, that mends it. */
  readonly remedy: string
}

const FILES = ['podstep.db', 'podstep.db-wal', 'podstep.db-shm', 'podstep.lock', 'podstep.running']
const FULL_BYTES = 1_000_000

/** What keeps a server from using the data folder; undefined if nothing does that can be seen from outside. */
export function troubleOf(facts: FolderFacts, errorCode = ''): FolderTrouble | undefined {
  const { dataDir, freeBytes = Number.POSITIVE_INFINITY } = facts
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(errorCode) || freeBytes < FULL_BYTES)
    return {
      what: 'the disk is full',
      remedy: `make room on the disk of ${dataDir}; to see how much there is: df -h ${shell(dataDir)}`,
    }
  if (facts.readOnlyMount !== undefined || errorCode === 'EROFS') return readOnly(facts)
  const noFolder = facts.folders.find(({ isFolder }) => !isFolder)
  if (noFolder)
    return { what: `${noFolder.path} is not a folder`, remedy: 'set data_dir to a folder, or move that file away' }
  const folder = facts.files.find(({ isFolder }) => isFolder)
  if (folder) return { what: `${folder.path} is a folder and not a file`, remedy: 'move that folder away' }
  return (
    permissions(facts) ??
    (/^(EACCES|EPERM|SQLITE_(CANTOPEN|READONLY|IOERR))/.test(errorCode) ? selinux(facts) : undefined)
  )
}

function readOnly({ readOnlyMount = 'the file system', isInContainer, dataDir }: FolderFacts): FolderTrouble {
  return {
    what: `${readOnlyMount} is mounted read-only`,
    remedy: isInContainer
      ? `mount the volume at ${dataDir} without ":ro"`
      : `sudo mount -o remount,rw ${shell(readOnlyMount)} (as a service under systemd, name the folder in ReadWritePaths= instead)`,
  }
}

function permissions(facts: FolderFacts): FolderTrouble | undefined {
  const { dataDir, uid, gid, folders, files } = facts
  const last = folders.at(-1)
  const closed = folders.find(({ isUsable }) => !isUsable)
  if (closed && closed.path !== dataDir) {
    const what = tell(closed, facts)
    // Nothing below it was found, or it may not be entered.
    return closed === last
      ? { what, remedy: `sudo install -d -o ${uid} -g ${gid} -m 700 ${shell(dataDir)}` }
      : { what, remedy: `sudo chmod o+x ${shell(closed.path)}` }
  }
  const foreign = [...(closed ? [closed] : []), ...files.filter(({ isUsable }) => !isUsable)]
  // Only the owner of a file may change its mode, which a server does with those of the database.
  const [wrong] = [...foreign, ...files.filter((file) => uid !== 0 && file.uid !== uid)]
  if (!wrong) return undefined
  return {
    what: tell(wrong, facts),
    remedy:
      wrong.uid === uid
        ? `chmod -R u+rwX ${shell(dataDir)}`
        : `sudo chown -R ${uid}:${gid} ${shell(dataDir)}${facts.isInContainer ? ', where that folder is outside of the container' : ''}`,
  }
}

function tell({ path, uid, gid, mode }: Place, facts: FolderFacts): string {
  const octal = (mode & 0o7777).toString(8).padStart(4, '0')
  return `podstep runs as uid ${facts.uid}, gid ${facts.gid}, but ${path} belongs to uid ${uid}, gid ${gid}, with mode ${octal}`
}

function selinux({ isSelinuxEnforcing, isInContainer, dataDir }: FolderFacts): FolderTrouble | undefined {
  if (!isSelinuxEnforcing) return undefined
  return {
    what: 'owner and mode are right, and SELinux is enforcing, so that it probably forbids the access',
    remedy: isInContainer
      ? `mount the volume at ${dataDir} with ":Z"`
      : `sudo restorecon -RFv ${shell(dataDir)}, and see: sudo ausearch -m avc -ts recent`,
  }
}

/** Quoted for a shell where that is needed. */
function shell(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Looks at the folder without changing anything. */
export function readFolder(dataDir: string): FolderFacts {
  const { uid, gid } = userInfo()
  const folders = ancestors(dataDir).flatMap((path) => look(path, path === dataDir ? 'rwx' : 'x'))
  const nearest = folders.at(-1)
  // What is missing is made in the one above it.
  const parents =
    nearest && nearest.path !== dataDir ? [...folders.slice(0, -1), ...look(nearest.path, 'rwx')] : folders
  return {
    ...{ dataDir, uid, gid, folders: parents },
    files: FILES.flatMap((name) => look(join(dataDir, name), 'rw')),
    readOnlyMount: readOnlyMount(readText('/proc/self/mounts'), dataDir),
    isSelinuxEnforcing: readText('/sys/fs/selinux/enforce').trim() === '1',
    isInContainer: ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)),
    freeBytes: nearest && freeIn(nearest.path),
  }
}

/** From the root to `path` itself. */
function ancestors(path: string): readonly string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...ancestors(parent), path]
}

const MASKS = {
  rwx: constants.R_OK | constants.W_OK | constants.X_OK,
  rw: constants.R_OK | constants.W_OK,
  x: constants.X_OK,
}

/** Nothing if it is not there, or hidden by a folder above it, which is then the one that is told of. */
function look(path: string, wanted: keyof typeof MASKS): readonly Place[] {
  try {
    const stat = statSync(path)
    const { uid, gid, mode } = stat
    return [{ path, uid, gid, mode, isFolder: stat.isDirectory(), isUsable: isAllowed(path, MASKS[wanted]) }]
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

/** Not every system has these files. */
function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** The mount point that `path` is on if it is read-only, by the lines of /proc/mounts; the last of the longest counts. */
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

/** What is added to the system's own words about a data folder that cannot be used. */
export function explainFolder(dataDir: string, error: unknown): string {
  const facts = readFolder(dataDir)
  const trouble = troubleOf(facts, codeOf(error))
  if (trouble) return `\n  ${trouble.what}\n  to mend it: ${trouble.remedy}`
  const folder = facts.folders.at(-1)
  return folder && folder.path === dataDir ? `\n  ${tell(folder, facts).replace(', but ', '; ')}` : ''
}
