import { Database } from 'bun:sqlite'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'

/** Numbers of the pages at which these tables begin, in a database that nobody else has open. */
export function rootPages(path: string, ...tables: readonly string[]): number[] {
  const db = new Database(path, { readonly: true })
  try {
    const find = db.prepare<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_schema WHERE name = ?1')
    return tables.map((name) => find.get(name)?.rootpage ?? missing(name))
  } finally {
    db.close()
  }
}

/** Writes bytes that are no page of a database over these pages; they count from 1. */
export function spoil(path: string, pages: readonly number[]): void {
  const file = openSync(path, 'r+')
  try {
    const size = pageSize(file)
    for (const page of pages) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size)
  } finally {
    closeSync(file)
  }
}

function pageSize(file: number): number {
  const header = Buffer.alloc(2)
  readSync(file, header, 0, 2, 16)
  return header.readUInt16BE()
}

function missing(name: string): never {
  throw new Error(`no table ${name}`)
}
