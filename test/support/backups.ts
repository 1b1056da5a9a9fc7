import { type BackupResult, type BackupStore, backupTime } from '../../src/domain/server/backups.ts'

export interface ScriptedBackups extends BackupStore {
  /** Names of the files, in the order in which they were made. */
  readonly files: string[]
  readonly leftovers: string[]
  /** Functions to call instead of copying and listing. */
  script: { make: (name: string) => Promise<number>; list: () => Promise<void> }
  /** What `abort` and `abandon` were called for. */
  readonly calls: ('abort' | 'abandon')[]
  result: BackupResult | undefined
}

/** A folder of backups in memory, whose files are 4096 bytes each. */
export function scriptedBackups(files: readonly string[] = []): ScriptedBackups {
  const store: ScriptedBackups = {
    files: [...files],
    leftovers: [],
    script: { make: async () => 4096, list: async () => undefined },
    calls: [],
    result: undefined,
    async list() {
      await store.script.list()
      return store.files
        .map((name) => ({ name, at: backupTime(name) ?? Number.NaN, bytes: 4096 }))
        .toSorted((one, other) => other.at - one.at)
    },
    async make(name) {
      const bytes = await store.script.make(name)
      store.files.push(name)
      return bytes
    },
    abort: () => void store.calls.push('abort'),
    abandon: () => void store.calls.push('abandon'),
    remove: async (name) => void store.files.splice(store.files.indexOf(name), 1),
    removeLeftovers: async () => void store.leftovers.splice(0),
    readResult: async () => store.result,
    async writeResult(result) {
      store.result = result
    },
  }
  return store
}
