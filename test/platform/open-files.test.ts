import { expect, test } from 'bun:test'
import { toDomainError } from '../../src/http/errors.ts'
import { isOutOfFiles } from '../../src/platform/open-files.ts'

test.each<[Error, boolean]>([
  [Object.assign(new Error('too many open files, open'), { code: 'EMFILE', errno: -24 }), true],
  [Object.assign(new Error('file table overflow'), { code: 'ENFILE' }), true],
  [Object.assign(new Error('Failed to get memory usage'), { errno: 24 }), true],
  [new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'EMFILE' }) }), true],
  [Object.assign(new Error('no such file'), { code: 'ENOENT', errno: -2 }), false],
  [new Error('24'), false],
])('%s is a lack of file descriptors, which is temporary, or a fault', (error, isOut) => {
  expect(isOutOfFiles(error)).toBe(isOut)
  expect(toDomainError(error, 'UNKNOWN').code).toBe(isOut ? 'unavailable' : 'internal')
})
