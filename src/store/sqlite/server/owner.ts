import { chownSync, statSync } from 'node:fs'
import { codeOf } from '../../../platform/unknown.ts'

/** What root makes for a server that runs as somebody else belongs to whom the folder belongs to. */
export function giveToOwner(path: string, folder: string, chown = chownSync): void {
  const { uid, gid } = statSync(folder)
  const { uid: present } = statSync(path)
  if (uid === present) return
  try {
    chown(path, uid, gid)
  } catch (error) {
    // Others than root may not, and need not: the folder lets them in.
    if (codeOf(error) !== 'EPERM') throw error
  }
}
