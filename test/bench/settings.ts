import type { Pace } from './compare.ts'

/** What one run of the benchmark does; see `bun test/bench/run.ts --help`. */
export interface Settings {
  /** How podstep is started. */
  readonly command: readonly string[]
  /** Scratch folder, removed at the end. */
  readonly dir: string
  readonly pace: Pace
  /** Of the table of requests: keep-alive connections, one after the other. */
  readonly tableConnections: readonly number[]
  readonly users: number
  readonly manyUsers: number
  /** Stored actions of the long history. */
  readonly history: number
  readonly streamed: number
  readonly starts: number
  /** Size of the database that is backed up. */
  readonly backupMegabytes: number
  readonly wants: (name: string) => boolean
}
