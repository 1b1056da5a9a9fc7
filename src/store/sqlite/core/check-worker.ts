import { Database } from 'bun:sqlite'
import { hadReadError, isDamage } from './errors.ts'

/** Runs on a thread with its own connection: reading a whole database can take a minute on an SD card. */

declare const self: Worker

export type CheckResponse = { readonly faults: readonly string[] } | { readonly failure: string }

const FAULTS_MAX = 10

self.onmessage = ({ data }: MessageEvent<string>) => {
  postMessage(check(data))
}

function check(path: string): CheckResponse {
  try {
    const db = new Database(path, { readwrite: true, create: false })
    try {
      const faults = runQuickCheck(db)
      return faults.length > 0 && hadReadError(db) ? { failure: 'the disk could not be read' } : { faults }
    } finally {
      db.close()
    }
  } catch (error) {
    return { failure: messageOf(error) }
  }
}

function runQuickCheck(db: Database): string[] {
  try {
    const rows = db.query<{ quick_check: string }, []>(`PRAGMA quick_check(${FAULTS_MAX})`).all()
    return rows.map((row) => row.quick_check).filter((line) => line !== 'ok')
  } catch (error) {
    if (isDamage(error)) return [messageOf(error)]
    throw error
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
