import { Database } from 'bun:sqlite'
import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import type { CheckpointRequest, CheckpointResponse } from './checkpointer.ts'

/** Runs on a thread, since all of it is waiting for the disk. Nothing stays open in between. */

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<CheckpointRequest>) => {
  postMessage(checkpoint(data))
}

function checkpoint({ path, action }: CheckpointRequest): CheckpointResponse {
  try {
    if (action === 'flush') flush(`${path}-wal`)
    else move(path)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function flush(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

function move(path: string): void {
  const db = new Database(path, { readwrite: true, create: false })
  try {
    db.run('PRAGMA wal_checkpoint(PASSIVE)')
  } finally {
    db.close()
  }
}
