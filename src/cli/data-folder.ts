import { lockDataDir, type OpenDatabase, type OpenOptions, openDatabase } from '../store/sqlite/open.ts'
import { leaveMarker, type RunMarker } from '../store/sqlite/run-marker.ts'
import { CommandError, isSystemError } from './io.ts'

/** `lockDataDir` in words for the operator. */
export function lockDataFolder(dataDir: string): () => void {
  return naming(dataDir, () => lockDataDir(dataDir))
}

/** `openDatabase` in words for the operator. */
export function openDataFolder(options: OpenOptions): OpenDatabase {
  return naming(options.dataDir, () => openDatabase(options))
}

/** `leaveMarker` in words for the operator. */
export function leaveMarkerIn(dataDir: string): RunMarker {
  return naming(dataDir, () => leaveMarker(dataDir))
}

/** The system says what is wrong, but not always where, and never which setting names the place. */
function naming<T>(dataDir: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new CommandError(`error: cannot use the data folder ${dataDir} (setting data_dir): ${error.message}`)
  }
}
