import { expect } from 'bun:test'
import type { Answer } from '../support/client.ts'
import { timestampOf } from './sync/scene.ts'

/*
 * Answers as the strictest client reads them: whatever these functions object to breaks somebody's app.
 */

/** The JSON of an answer that has exactly status 200 and is exactly application/json. */
export function ok({ status, headers, json }: Answer): unknown {
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json(; ?charset=utf-8)?$/i)
  expectDigestible(json)
  return json
}

/** Success without a body: mygpoclient takes any word for an error. */
export function expectEmpty({ status, text }: Answer): void {
  expect([status, text]).toEqual([200, ''])
}

/** What a delta brought; all three keys are there, and of the right types. */
export function delta(answer: Answer): { add: unknown[]; remove: unknown[] } {
  const json = ok(answer)
  timestampOf(answer)
  return { add: arrayIn(json, 'add'), remove: arrayIn(json, 'remove') }
}

/** The timestamp of an upload from which nothing had to be rewritten. */
export function uploaded(answer: Answer): number {
  expect(arrayIn(ok(answer), 'update_urls')).toEqual([])
  return timestampOf(answer)
}

export function actionsOf(answer: Answer): unknown[] {
  const json = ok(answer)
  timestampOf(answer)
  return arrayIn(json, 'actions')
}

function arrayIn(json: unknown, key: string): unknown[] {
  const found =
    typeof json === 'object' && json !== null ? Object.entries(json).find(([name]) => name === key) : undefined
  const list: unknown = found?.[1]
  if (!Array.isArray(list)) throw new Error(`the answer has no list "${key}"`)
  return list
}

/** No null, no -1, and no date in another form than all clients read, anywhere. */
function expectDigestible(value: unknown): void {
  expect(value).not.toBeNull()
  expect(value).not.toBe(-1)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    expectDigestible(item)
    if (key === 'timestamp' && typeof item === 'string') expect(item).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  }
}
