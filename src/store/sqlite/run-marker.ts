import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const MARKER_FILE = 'podstep.running'
const TEXT = 'A podstep server is running here, or was not stopped in order: then the next one checks the database.\n'

export interface RunMarker {
  /** Whether the last server on this folder was killed, lost its power, or knew that its database was damaged. */
  readonly wasLeft: boolean
  /** To be called at the end of an orderly stop. */
  remove(): void
}

/** Leaves a file in the data folder that tells the next server if this one does not stop in order. On the disk when this returns. */
export function leaveMarker(dataDir: string): RunMarker {
  const path = join(dataDir, MARKER_FILE)
  const wasLeft = existsSync(path)
  if (!wasLeft) write(path, dataDir)
  return { wasLeft, remove: () => rmSync(path, { force: true }) }
}

function write(path: string, folder: string): void {
  const file = openSync(path, 'w', 0o600)
  try {
    writeSync(file, TEXT)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncFolder(folder)
}

/** A new file is in its folder for good only when the folder has been flushed as well. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
