/*
 * Which files in the folder of backups are whose. Only what has one of these names is ever removed: copies that were made before a
 * migration, or by hand, stay.
 */

const NAME = /^podstep-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/
/** A copy that is not complete, its files of SQLite included. */
const LEFTOVER = /^podstep-\d{8}T\d{6}Z(?:-before-migration)?\.db\.partial(?:-journal|-wal|-shm)?$/

/** A file name that sorts by time; `at` in Unix seconds. */
export function backupName(at: number): string {
  return `podstep-${new Date(at * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`
}

/** When the backup of this name was begun; undefined if it is not the name of a backup. */
export function backupTime(name: string): number | undefined {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(ms) ? undefined : ms / 1000
}

export function isLeftover(name: string): boolean {
  return LEFTOVER.test(name)
}

/** A name that is not taken, at `at` or as soon after it as possible: the clock may have been set back. */
export function freeBackupName(at: number, taken: ReadonlySet<string>): string {
  let time = at
  while (taken.has(backupName(time))) time++
  return backupName(time)
}

/** Those to remove when `made` has just been made and `keep` may stay: the oldest, but never `made`, whatever the clock said. */
export function surplusBackups(names: readonly string[], made: string, keep: number): string[] {
  return names
    .filter((name) => name !== made)
    .toSorted()
    .toReversed()
    .slice(keep - 1)
}
