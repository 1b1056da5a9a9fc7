import { expect } from 'bun:test'
import type { Answer } from '../support/client.ts'

/** The `timestamp` of a successful answer: Unix seconds as a whole number that fits 32 bits, as Kasts reads it. */
export function timestampOf({ status, json }: Answer): number {
  expect(status).toBe(200)
  const timestamp = typeof json === 'object' && json !== null && 'timestamp' in json ? json.timestamp : undefined
  if (typeof timestamp !== 'number') throw new Error('the answer has no timestamp')
  expect(timestamp).toBe(timestamp | 0)
  return timestamp
}
