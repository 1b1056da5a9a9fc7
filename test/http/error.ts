import { expect } from 'bun:test'
import type { Answer } from '../support/client.ts'

/** Expects exactly the error object of docs/protocol.md#D17, and no session cookie. */
export function expectError(answer: Answer, status: number, code: string, field?: string): void {
  expect(answer).toMatchObject({ status, json: { code: status, error: code } })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.json).toEqual({
    code: status,
    error: code,
    message: expect.stringMatching(/^.{3,200}$/),
    ...(field !== undefined && { field }),
  })
  expect(answer.headers.get('set-cookie')).toBeNull()
}
